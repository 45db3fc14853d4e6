/** A way to the database that counts what a server sends, and calls back before a part of it is forwarded. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export async function startCountingProxy(targetUrl: string) {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let counted = 0;
  let onPart: ((count: number) => void) | undefined;
  const server = createServer((inner) => {
    const outer = connect(Number(target.port), target.hostname);
    inner.on('data', (chunk) => {
      if (onPart) onPart(++counted);
      outer.write(chunk);
    });
    outer.on('data', (chunk) => inner.write(chunk));
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(targetUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    /** Counts from now on. */
    arm(callback: (count: number) => void): void {
      [counted, onPart] = [0, callback];
    },
    counted: () => counted,
  };
}
