/**
 * Shuts the server down in order: stops the Works, ends the streams, closes the connections, and releases the store.
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { ServerClaim } from '@crewagent/core';
import type { ServerParts } from './server-parts.ts';

/** Call it before the server listens. Later calls of the result wait for the first. */
export function createShutdown(
  server: Server,
  graceMs = 2_000,
): (parts: ServerParts, claim: ServerClaim) => Promise<void> {
  const unused = trackUnused(server);
  const shutDown = async (parts: ServerParts, claim: ServerClaim): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    try {
      await parts.close();
      await parts.runtime.close();
    } finally {
      server.closeIdleConnections();
      for (const socket of unused) socket.destroy();
      const inTime = await Promise.race([closed.then(() => true), wait(graceMs, false, { ref: false })]);
      if (!inTime) server.closeAllConnections();
      await closed;
      await claim.release();
    }
  };
  let stopping: Promise<void> | undefined;
  return (parts, claim) => {
    stopping ??= shutDown(parts, claim);
    return stopping;
  };
}

/** Connections that no request has used yet: browsers open some in advance, and Node does not count them as idle. */
function trackUnused(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  return unused;
}
