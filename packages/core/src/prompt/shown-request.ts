/**
 * A request as shown to people: in parts, each with its layer and its token count. Pure.
 */
import type { ContextLayer, ShownPart, ShownRequest } from '@crewagent/protocol/api/shown-context';
import type { RunEvent } from '@crewagent/protocol/events';
import type { MessageRules } from '@crewagent/protocol/model';
import { bytesOfMessage, bytesOfTools } from '../llm/serialise.ts';
import type { AssistantMessage, ChatMessage, WireTool } from '../llm/wire.ts';
import { toUserInput } from './prompt-blocks.ts';
import { composeRequest, type PromptFrame, requestBytes } from './prompt-composer.ts';

/** Texts sent as user messages, with their layers. Several of them may have become one message. */
export type SentTexts = Map<string, ContextLayer>;

/** Collects the texts by which parts of a user message are recognised. */
export function recordSent(sentTexts: SentTexts, event: RunEvent): void {
  if (event.type !== 'message.completed') return;
  const { purpose, content, nodeId } = event;
  if (purpose === 'input') sentTexts.set(toUserInput(content, nodeId), 'input');
  else if (purpose !== 'reply') sentTexts.set(content, purpose === 'anchor' ? 'anchor' : 'messages');
}

export interface ShownSources {
  readonly frame: PromptFrame;
  readonly messages: readonly ChatMessage[];
  readonly rules: MessageRules;
  readonly sentTexts: SentTexts;
  readonly bytesPerToken: number;
}

export function toShownRequest(sources: ShownSources): ShownRequest {
  const { frame, sentTexts, bytesPerToken, rules } = sources;
  const request = composeRequest(frame, sources.messages, rules);
  const toTokens = (bytes: number): number => Math.round(bytes / bytesPerToken);
  const toPart = (layer: ContextLayer, role: 'system' | 'user', text: string): ShownPart => ({
    layer,
    role,
    text,
    tokens: toTokens(bytesOfMessage({ role, content: text })),
  });
  const parts: ShownPart[] = frame.layers.map(({ layer, text }) => toPart(layer, 'system', text));
  parts.push(...toToolParts(request.tools, toTokens));
  // Longest first, because one text may begin with another.
  const texts = [...sentTexts].sort(([one], [other]) => other.length - one.length);
  for (const message of request.messages.slice(frame.system.length)) {
    if (message.role === 'system') continue;
    if (message.role === 'user')
      parts.push(...splitText(message.content, texts).map(({ layer, text }) => toPart(layer, 'user', text)));
    else
      parts.push({
        layer: 'messages',
        role: message.role,
        text: message.role === 'assistant' ? toText(message) : message.content,
        tokens: toTokens(bytesOfMessage(message)),
      });
  }
  return { tokens: toTokens(requestBytes(request)), parts };
}

const FROM_SERVERS = /^mcp_/;
/** Offered when the tools of servers are sent with one line each. */
const DESCRIBE = 'mcp_describe';

/** Tools of MCP servers one by one, all others together. */
function toToolParts(tools: readonly WireTool[], toTokens: (bytes: number) => number): ShownPart[] {
  const own = tools.filter(({ function: { name } }) => !FROM_SERVERS.test(name));
  const others = tools.filter(({ function: { name } }) => FROM_SERVERS.test(name));
  const areBrief = others.some(({ function: { name } }) => name === DESCRIBE);
  const fromServers = others.map((tool): ShownPart => {
    const { name } = tool.function;
    const text = JSON.stringify(tool);
    const bytes = Buffer.byteLength(text);
    const isBrief = areBrief && name !== DESCRIBE;
    return { layer: 'tools', text, tokens: toTokens(bytes), tool: { name, bytes, isBrief } };
  });
  if (own.length === 0) return fromServers;
  const tokens = toTokens(bytesOfTools(own));
  return [{ layer: 'tools', text: JSON.stringify(own), tokens }, ...fromServers];
}

interface LayeredText {
  readonly layer: ContextLayer;
  readonly text: string;
}

/** Adjacent texts were joined to one message, separated by an empty line. */
function splitText(content: string, texts: readonly (readonly [string, ContextLayer])[]): LayeredText[] {
  const parts: LayeredText[] = [];
  let rest = content;
  for (;;) {
    const [known, layer] = texts.find(([text]) => rest === text || rest.startsWith(`${text}\n\n`)) ?? [];
    const end = known === undefined ? findNext(rest, texts) : known.length;
    const text = rest.slice(0, end);
    parts.push({ layer: layer ?? layerOf(text), text });
    if (end >= rest.length) return parts;
    rest = rest.slice(end + 2);
  }
}

/** Index of the first known text. */
function findNext(rest: string, texts: readonly (readonly [string, ContextLayer])[]): number {
  const found = texts.map(([text]) => rest.indexOf(`\n\n${text}`)).filter((index) => index !== -1);
  return Math.min(rest.length, ...found);
}

/** Layer of a text that the runtime created or shortened. */
function layerOf(text: string): ContextLayer {
  const [blockName = ''] = text.split(/[ \n]/, 1);
  if (blockName.startsWith('EARLIER_')) return 'earlier';
  return BLOCK_LAYERS[blockName] ?? 'messages';
}

const BLOCK_LAYERS: Readonly<Record<string, ContextLayer>> = { RUN_DIRECTIVE: 'anchor', USER_INPUT: 'input' };

/** The text, and other fields as JSON. */
function toText({ role: _, content, ...rest }: AssistantMessage): string {
  const parts = content === null ? [] : [content];
  return [...parts, ...(Object.keys(rest).length > 0 ? [JSON.stringify(rest)] : [])].join('\n');
}
