/**
 * Event streams: of one Work, of one project and its files, of all Works.
 */
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { mountRaw, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountEvents(router: Router, parts: ServerParts): void {
  const { hub, worksList, heldFiles, runtime } = parts;
  const { files, projects, system, works } = ENDPOINTS;
  mountRaw(router, works.events, async ({ params: { workId }, query, headers, disconnect }) =>
    toEventStream(await hub.open(workId, lastSeqOf(headers) ?? query.after, disconnect)),
  );
  mountRaw(router, projects.events, async ({ params: { projectId }, disconnect }) => {
    await runtime.store.projects.read(projectId);
    return toEventStream(await worksList.open(projectId, disconnect));
  });
  mountRaw(router, files.events, async ({ params: { projectId }, disconnect }) =>
    toEventStream(await heldFiles.watch(projectId, disconnect)),
  );
  mountRaw(router, system.events, async ({ disconnect }) =>
    toEventStream(await worksList.open(undefined, disconnect)),
  );
}

/** Sequence number of the last event the reader has; undefined if it is missing or malformed. */
function lastSeqOf(headers: Headers): number | undefined {
  const text = headers.get('last-event-id') ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function toEventStream(stream: ReadableStream<Uint8Array>): Response {
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  });
}
