/**
 * Control tokens of chat templates (`<|im_start|>`, `[INST]`) in texts. A local server may read them as the start of another
 * message, wherever they occur, so their first character is written as a JSON escape: JSON means the same, and other texts stay
 * readable. Pure.
 */
import type { WireTool } from './wire.ts';

const TOKEN =
  /<\|[^\s<>|][^<>|\n]{0,60}\|>|<｜[^<>｜\n]{1,60}｜>|<\/?(?:s|bos|eos|start_of_turn|end_of_turn|start_of_role|end_of_role|end_of_text|extra_id_\d+)>|<<\/?SYS>>|\[\/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|ASSISTANT|gMASK)\]/gi;

/** The same text if it has none. */
export function escapeTokens(text: string): string {
  return text.replace(TOKEN, (token) => `${toEscape(token)}${token.slice(1)}`);
}

/** Descriptions come from servers and packages, and templates print them as they are. */
export function escapeTokensInTool(tool: WireTool): WireTool {
  const text = JSON.stringify(tool);
  const escaped = text.replace(TOKEN, (token) => `\\${toEscape(token)}${token.slice(1)}`);
  return escaped === text ? tool : (JSON.parse(escaped) as WireTool);
}

function toEscape(token: string): string {
  return `\\u${token.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
