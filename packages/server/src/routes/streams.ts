/**
 * Event streams that share a connection. Each is requested by its path from an app that has the event streams only.
 */
import { CrewError } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { Hono } from 'hono';
import { toErrorResponse } from '../error-response.ts';
import { mount, mountRaw, type Router, type ServerEnv } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';
import { createStreamMuxes } from '../streams/stream-muxes.ts';
import { mountEvents, toEventStream } from './events.ts';

/** Returns a function that closes all connections. */
export function mountStreams(router: Router, parts: ServerParts): () => void {
  const { streams } = ENDPOINTS;
  const muxes = createStreamMuxes();
  // Without guards: the request that adds a stream has passed them.
  const app = new Hono<ServerEnv>();
  app.onError((error) => toErrorResponse(error, parts));
  app.notFound(() => {
    throw new CrewError('NOT_FOUND', 'There is no event stream with this path.');
  });
  mountEvents({ ...router, app }, parts);
  mountRaw(router, streams.carry, ({ params: { muxId }, disconnect }) =>
    Promise.resolve(toEventStream(muxes.open(muxId, disconnect))),
  );
  mountRaw(router, streams.add, async ({ params: { muxId }, body: { name, path, lastEventId } }) => {
    const { disconnect } = muxes.find(muxId);
    const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const response = await app.request(toLocal(path), { headers }, { outgoing: { destroy: disconnect } });
    if (!response.ok || !response.body) return response;
    try {
      muxes.add(muxId, name, response.body);
    } catch (error) {
      await response.body.cancel();
      throw error;
    }
    return new Response(null, { status: 204 });
  });
  mount(router, streams.remove, ({ params: { muxId }, body: { name } }) => {
    muxes.remove(muxId, name);
    return Promise.resolve(undefined);
  });
  return () => muxes.close();
}

/** An address of another server has no path here. */
function toLocal(path: string): string {
  return path.startsWith('/') ? path : '/';
}
