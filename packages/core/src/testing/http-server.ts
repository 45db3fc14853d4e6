/** HTTP servers of tests and benchmarks, on a free port of this machine. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HttpServer = Awaited<ReturnType<typeof startHttpServer>>;

export async function startHttpServer(
  answer: RequestListener,
  onConnection: (socket: object) => void = () => undefined,
) {
  const server = createServer(answer).on('connection', onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** Without a slash at the end. */
    url: `http://127.0.0.1:${port}`,
    port,
    async close() {
      const closed = once(server, 'close');
      server.close().closeAllConnections();
      await closed;
    },
  };
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
