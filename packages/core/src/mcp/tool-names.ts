/**
 * Names of the tools of MCP servers: `mcp.<server>.<tool>`. A name depends on its server and on the server's own name for the
 * tool alone, so that it is the same in every run, and its form on the wire fits every provider. Pure.
 */
import { createHash } from 'node:crypto';

/** Of the name on the wire, where the dots are underscores. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 6;

export function toToolName(server: string, tool: string): string {
  const prefix = `mcp.${server}.`;
  const room = MAX_LENGTH - prefix.length;
  const plain = tool.replace(/[^A-Za-z0-9_-]/g, '_');
  // A name that had to be changed bears a hash of what it was: two tools never get the same name.
  if (plain === tool && tool.length > 0 && tool.length <= room) return prefix + tool;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_LENGTH);
  return `${prefix}${plain.slice(0, room - HASH_LENGTH - 1)}-${hash}`;
}
