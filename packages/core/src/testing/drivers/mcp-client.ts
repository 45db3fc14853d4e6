/**
 * Our MCP client for the conformance suite: connects to the server at an address, calls each of its tools once, and exits.
 *
 * Arguments: the address.
 */
import { McpConnection } from '../../mcp/connection.ts';

const [url = ''] = process.argv.slice(2);
const { signal } = new AbortController();
const connection = new McpConnection({
  target: { url, headers: {} },
  project: process.cwd(),
  secrets: [],
});
await connection.ready(signal);
for (const { name, inputSchema } of connection.tools) {
  const names = Object.keys(inputSchema.properties ?? {});
  await connection.call(name, Object.fromEntries(names.map((key, index) => [key, index + 1])), signal);
}
await connection.close();
