/**
 * Event streams: of one Work, of one project and its files, of all Works. Those that share a connection are requested by their
 * path, from an app that has the event streams only.
 */
import { CrewError } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { Hono } from 'hono';
import { toErrorResponse } from '../error-response.ts';
import { mount, mountRaw, type Router, type ServerEnv } from '../mount.ts';
import { scopeOf, type Viewer } from '../security/access.ts';
import type { ServerParts } from '../server-parts.ts';
import { createStreamMuxes } from '../streams/stream-muxes.ts';

/** Returns a function that closes all connections. */
export function mountStreams(router: Router, parts: ServerParts): () => void {
  const { streams } = ENDPOINTS;
  const muxes = createStreamMuxes();
  // Without guards: the request that adds a stream has passed them, and its viewer is the one who is checked here.
  const app = new Hono<ServerEnv>();
  app.use('*', (c, next) => {
    if (c.env.viewer) c.set('viewer', c.env.viewer);
    return next();
  });
  app.onError((error) => toErrorResponse(error, parts));
  app.notFound(() => {
    throw new CrewError('NOT_FOUND', 'There is no event stream with this path.');
  });
  mountEvents({ ...router, app }, parts);
  mountRaw(router, streams.carry, ({ params: { muxId }, viewer, disconnect }) =>
    Promise.resolve(toEventStream(muxes.open(toOwnId(viewer, muxId), disconnect))),
  );
  mountRaw(router, streams.add, async ({ params, viewer, body: { name, path, lastEventId } }) => {
    const muxId = toOwnId(viewer, params.muxId);
    const { disconnect } = muxes.find(muxId);
    const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const response = await app.request(
      toLocal(path),
      { headers },
      { outgoing: { destroy: disconnect }, viewer },
    );
    if (!response.ok || !response.body) return response;
    try {
      muxes.add(muxId, name, response.body);
    } catch (error) {
      await response.body.cancel();
      throw error;
    }
    return new Response(null, { status: 204 });
  });
  mount(router, streams.remove, ({ params: { muxId }, viewer, body: { name } }) => {
    muxes.remove(toOwnId(viewer, muxId), name);
    return Promise.resolve(undefined);
  });
  return () => muxes.close();
}

/** Nobody adds streams to the connection of somebody else. */
function toOwnId({ id }: Viewer, muxId: string): string {
  return `${id} ${muxId}`;
}

/** An address of another server has no path here. */
function toLocal(path: string): string {
  return path.startsWith('/') ? path : '/';
}

export function mountEvents(router: Router, parts: ServerParts): void {
  const { hub, worksList, heldFiles, heldFolders, runtime } = parts;
  const { authoring, files, projects, system, works } = ENDPOINTS;
  mountRaw(router, works.events, async ({ params: { workId }, query, headers, disconnect }) =>
    toEventStream(await hub.open(workId, lastSeqOf(headers) ?? query.after, disconnect)),
  );
  mountRaw(router, projects.events, async ({ params: { projectId }, disconnect }) => {
    await runtime.store.projects.read(projectId);
    return toEventStream(await worksList.open(new Set([projectId]), disconnect));
  });
  mountRaw(router, files.events, async ({ params: { projectId }, disconnect }) =>
    toEventStream(await heldFiles.watch(projectId, disconnect)),
  );
  mountRaw(router, authoring.events, async ({ params: { folderId }, disconnect }) =>
    toEventStream(await heldFolders.watch(folderId, disconnect)),
  );
  mountRaw(router, system.events, async ({ viewer, disconnect }) =>
    toEventStream(await worksList.open(scopeOf(viewer), disconnect)),
  );
}

/** Sequence number of the last event the reader has; undefined if it is missing or malformed. */
function lastSeqOf(headers: Headers): number | undefined {
  const text = headers.get('last-event-id') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function toEventStream(stream: ReadableStream<Uint8Array>): Response {
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  });
}
