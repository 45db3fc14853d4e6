/**
 * Our MCP client for the conformance suite: connects to the server at an address, calls each of its tools once, and exits. A
 * person is played who signs in whenever the server requires it, and submits forms as they are.
 *
 * Arguments: the address. The suite names the scenario, and client credentials if any, in the environment.
 */
import type { ElicitResult } from '@modelcontextprotocol/client';
import { McpConnection } from '../../mcp/connection.ts';
import { startLogin } from '../../mcp/login.ts';
import { createMemoryRecord } from '../../mcp/login-record.ts';
import { LoginRequired } from '../../mcp/open-client.ts';
import { createServerAuth } from '../../mcp/server-auth.ts';

const MAX_LOGINS = 3;

const [url = ''] = process.argv.slice(2);
const { signal } = new AbortController();
const target = { url, headers: {} };
const record = createMemoryRecord(url);
const connection = new McpConnection({
  target,
  project: process.cwd(),
  secrets: [],
  auth: createServerAuth(record),
});
const { client_id: id, client_secret: secret } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  readonly client_id?: string;
  readonly client_secret?: string;
};
let logins = 0;

await withLogins(() => connection.ready(signal));
for (const { name, inputSchema } of connection.tools) {
  const names = Object.keys(inputSchema.properties ?? {});
  const args = Object.fromEntries(names.map((key, index) => [key, index + 1]));
  await withLogins(async () => {
    await connection.ready(signal);
    await connection.call(name, args, signal, { onElicit: submitAsIs });
  });
}
await connection.close();

function submitAsIs(): Promise<ElicitResult> {
  return Promise.resolve({ action: 'accept', content: {} });
}

async function withLogins(work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LoginRequired) || logins === MAX_LOGINS) throw error;
      logins++;
      const client = id === undefined ? undefined : { id, secret };
      const login = await startLogin({ record, target, client, signal });
      await fetch(login.url);
      await login.done;
    }
  }
}
