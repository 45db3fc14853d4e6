/**
 * Event streams: of one run, of one conversation, of one project, of everything.
 */
import { readProject } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import { mountRaw, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';

export function mountEvents(router: Router, { hub, talkHub, runLists, runtime }: ServerParts): void {
  const { conversations, projects, runs, system } = ENDPOINTS;
  mountRaw(router, runs.events, async ({ params, query, headers, hangUp }) => {
    const after = toSeq(headers.get('last-event-id')) ?? query.after;
    return toEventStream(await hub.open(params.runId, after, hangUp));
  });
  mountRaw(router, conversations.events, async ({ params, query, headers, hangUp }) => {
    const after = toSeq(headers.get('last-event-id')) ?? query.after;
    return toEventStream(await talkHub.open(params.conversationId, after, hangUp));
  });
  mountRaw(router, projects.events, async ({ params: { projectId }, hangUp }) => {
    await readProject(runtime.store, projectId);
    return toEventStream(await runLists.open(projectId, hangUp));
  });
  mountRaw(router, system.events, async ({ hangUp }) =>
    toEventStream(await runLists.open(undefined, hangUp)),
  );
}

/** What is no number of ours is as good as none: the reader gets a snapshot. */
function toSeq(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function toEventStream(stream: ReadableStream<Uint8Array>): Response {
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  });
}
