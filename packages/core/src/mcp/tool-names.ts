/**
 * Names of MCP tools: `mcp.<server>.<tool>`. A name depends only on the server and the server's own name for the tool, so that
 * it is the same in every run, and its wire form is valid for every provider. Pure.
 */
import type { ServerTool } from '@crewagent/protocol/mcp';
import type { Tool } from '@modelcontextprotocol/client';
import { sha256Of } from '../base/sha256.ts';

/** Limit of the wire name, in which dots are underscores. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 6;

export function toToolName(server: string, tool: string): string {
  const prefix = `mcp.${server}.`;
  const room = MAX_LENGTH - prefix.length;
  const plain = tool.replace(/[^A-Za-z0-9_-]/g, '_');
  // A modified name has a hash of the original, so that two tools never get the same name.
  if (plain === tool && tool.length > 0 && tool.length <= room) return prefix + tool;
  const hash = sha256Of(tool).slice(0, HASH_LENGTH);
  return `${prefix}${plain.slice(0, room - HASH_LENGTH - 1)}-${hash}`;
}

/** The tools of a connected server, as people see them. */
export function toServerTools(id: string, { tools }: { readonly tools: readonly Tool[] }): ServerTool[] {
  return tools.map(({ name, description = '', annotations }) => ({
    name: toToolName(id, name),
    ownName: name,
    description: description.slice(0, 500),
    isReadOnly: annotations?.readOnlyHint === true,
  }));
}
