/**
 * Recorded tools that are not built in, with the results of their calls. A replay answers from these and starts no
 * server. Pure.
 */
import type { ChatRequest, WireTool } from '../wire.ts';

export interface RecordedTools {
  /** In the order of their first appearance. */
  readonly tools: readonly WireTool[];
  /** By call id. */
  readonly answers: ReadonlyMap<string, string>;
}

/** Tools of MCP servers, and commands. */
const NOT_BUILT_IN = /^(?:mcp_|shell_run$)/;

export function toRecordedTools(requests: readonly ChatRequest[]): RecordedTools {
  const tools = new Map<string, WireTool>();
  const answers = new Map<string, string>();
  for (const request of requests) {
    for (const tool of request.tools) {
      const { name } = tool.function;
      if (NOT_BUILT_IN.test(name) && !tools.has(name)) tools.set(name, tool);
    }
    // The first result is complete; later requests may contain a shortened one.
    for (const message of request.messages)
      if (message.role === 'tool' && !answers.has(message.tool_call_id))
        answers.set(message.tool_call_id, message.content);
  }
  return { tools: [...tools.values()], answers };
}
