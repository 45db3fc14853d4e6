/**
 * A server for the MCP conformance suite, which sends neither our token nor an Origin: a proxy in front of the local server adds
 * them, and leaves what the suite sends of its own as it is. Prints its address; ends with its input. Argument: the built program.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headersOf, startLocalServer } from '../local-server.ts';

const folder = await mkdtemp(join(tmpdir(), 'crewagent-conformance-'));
const env = { ...process.env, CREWAGENT_HOME: join(folder, 'store') };
const server = await startLocalServer(env, process.argv[2]);
const { hostname, port } = new URL(server.origin);
const proxy = createServer((incoming, outgoing) => {
  const { host = '', origin } = incoming.headers;
  const isOwnHost = /^(?:127\.0\.0\.1|localhost):/.test(host);
  const isOwnOrigin = origin === undefined || origin === `http://${host}`;
  const own = headersOf(server);
  const sent = request({
    hostname,
    port,
    path: `/api/v1/mcp?project=${encodeURIComponent(folder)}`,
    method: incoming.method,
    headers: {
      ...incoming.headers,
      ...own,
      host: isOwnHost ? `${hostname}:${port}` : host,
      origin: isOwnHost && isOwnOrigin ? own.origin : (origin ?? `http://${host}`),
    },
  });
  sent.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  sent.on('error', () => outgoing.destroy());
  outgoing.on('close', () => sent.destroy());
  incoming.pipe(sent);
}).listen(0, '127.0.0.1');
await once(proxy, 'listening');
console.log(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`);
process.stdin.resume();
await once(process.stdin, 'end');
proxy.closeAllConnections();
proxy.close();
server.child.kill('SIGTERM');
await once(server.child, 'exit');
await rm(folder, { recursive: true, force: true });
