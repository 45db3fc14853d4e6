/** The tools of a connected MCP server, as people see them. */
import type { ServerTool } from '@crewagent/protocol/mcp';
import type { McpConnection } from './connection.ts';
import { toToolName } from './tool-names.ts';

export function toServerTools(id: string, { tools }: McpConnection): ServerTool[] {
  return tools.map(({ name, description = '', annotations }) => ({
    name: toToolName(id, name),
    ownName: name,
    description: description.slice(0, 500),
    isReadOnly: annotations?.readOnlyHint === true,
  }));
}
