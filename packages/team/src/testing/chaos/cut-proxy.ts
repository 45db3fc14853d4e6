/** A way to the database that can be cut: nothing is forwarded and nobody is told, as if a cable was pulled. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export async function startCutProxy(targetUrl: string) {
  const target = new URL(targetUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  const server = createServer((inner) => {
    const outer = connect(Number(target.port), target.hostname);
    const pair = [inner, outer] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [outer, inner] as const]) {
      from.on('error', () => to.destroy());
      from.on('close', () => {
        pairs.delete(pair);
        if (!isCut) to.destroy();
      });
      from.on('data', (chunk) => isCut || to.write(chunk));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const end = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  onTestFinished(() => {
    end();
    server.close();
  });
  const url = new URL(targetUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut(): void {
      isCut = true;
    },
    /** What was sent meanwhile is lost, so that no connection can go on. */
    mend(): void {
      end();
      isCut = false;
    },
  };
}
