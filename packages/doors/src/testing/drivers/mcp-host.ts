/**
 * A host that is a process of its own, with our server as its child or over HTTP. It prints the process id of its server, plays like
 * the literal reader, and kills itself while its nth call is on its way. Argument: a `HostScript` as JSON.
 */
import { writeSync } from 'node:fs';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createClient } from '../host-client.ts';
import { callTool, playHost } from '../scripted-host.ts';

export interface HostScript {
  readonly project: string;
  readonly dieAt: number;
  readonly start: Readonly<Record<string, string>>;
  /** Goes on with this run. */
  readonly run?: string | undefined;
  readonly server:
    | { readonly entry: string; readonly env: Readonly<Record<string, string>> }
    | { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

const { project, dieAt, start, run, server } = JSON.parse(process.argv[2] ?? '') as HostScript;
const connected = createClient(project, { form: () => 'C' });
const say = (message: object): void => void writeSync(1, `${JSON.stringify(message)}\n`);
if ('url' in server) {
  const requestInit = { headers: { ...server.headers } };
  await connected.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
} else {
  const args = [server.entry, 'mcp', 'serve'];
  const transport = new StdioClientTransport({ command: process.execPath, args, env: { ...server.env } });
  await connected.connect(transport);
  say({ pid: transport.pid });
}
let calls = 0;
const client: Pick<Client, 'callTool'> = {
  callTool(params) {
    const made = connected.callTool(params);
    if (++calls === dieAt) process.kill(process.pid, 'SIGKILL');
    return made;
  },
};
let last = run === undefined ? await callTool(client, 'start_workflow', start) : await resume(run);
if (!last.text.includes('The workflow is complete.'))
  last = await playHost('literal', last.text, { project, client });
say({ last: last.text });
await connected.close();

async function resume(id: string) {
  const resumed = await callTool(client, 'resume_workflow', { run: id });
  if (!resumed.text.includes('waits for the person')) return resumed;
  await callTool(client, 'ask_person');
  return callTool(client, 'current_brief');
}
