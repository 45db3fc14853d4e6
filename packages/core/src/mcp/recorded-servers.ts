/**
 * Tools that are not built in, in a replay: listed and answered from the recording.
 */
import type { ToolResult } from '@crewagent/protocol/tools';
import type { RecordedTools } from '../llm/llm-adapter.ts';
import type { WireTool } from '../llm/wire.ts';
import { answer, failure } from '../tools/tool.ts';
import type { ToolDescription, ToolSource } from '../tools/tool-source.ts';
import { DESCRIBE } from './schema-budget.ts';

export interface RecordedServers {
  readonly servers: readonly string[];
  readonly source: ToolSource;
}

export function openRecordedServers({ tools, answers }: RecordedTools): RecordedServers {
  const descriptions = tools.map(toDescription);
  return {
    servers: [...new Set(descriptions.flatMap(({ server }) => server ?? []))],
    source: {
      list: () => descriptions,
      run: (_, { callId }) => Promise.resolve(answer(toResult(answers.get(callId)))),
    },
  };
}

function toDescription({ function: { name: wireName, description, parameters } }: WireTool): ToolDescription {
  const [, server, tool] = /^mcp_([A-Za-z0-9-]+)_(.+)$/.exec(wireName) ?? [];
  const isCommand = wireName === 'shell_run';
  const ownName = isCommand ? 'shell.run' : DESCRIBE;
  return {
    name: server === undefined ? ownName : `mcp.${server}.${tool}`,
    family: isCommand ? 'shell' : 'mcp',
    server,
    effect: server === undefined && !isCommand ? 'none' : 'external',
    // Nothing is executed, so no approval is needed.
    isReadOnly: true,
    description,
    parameters: () => parameters,
    // The recording decides whether the arguments were accepted.
    parse: (value) => ({ ok: true, value }),
  };
}

function toResult(content: string | undefined): ToolResult {
  if (content === undefined)
    return failure(
      'TOOL_NOT_AVAILABLE',
      'The recording has no result for this call, and a replay starts neither servers nor commands.',
    );
  return JSON.parse(content) as ToolResult;
}
