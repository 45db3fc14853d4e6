/**
 * What a recording holds of tools that were not built in: as they were offered, and what their calls answered. A replay answers
 * from it and starts nothing. Pure.
 */
import type { ChatRequest, WireTool } from '../wire.ts';

export interface RecordedTools {
  /** In the order in which they were offered first. */
  readonly tools: readonly WireTool[];
  /** By the id of the call. */
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
    // A later request may hold a shortened answer.
    for (const message of request.messages)
      if (message.role === 'tool' && !answers.has(message.tool_call_id))
        answers.set(message.tool_call_id, message.content);
  }
  return { tools: [...tools.values()], answers };
}
