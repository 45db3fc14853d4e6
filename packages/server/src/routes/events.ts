/**
 * Event streams: of one run, of one conversation, of one project and its files, of everything.
 */
import { readProject } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { Router } from '../mount.ts';
import { mountStream, type StreamOpener } from '../open-streams.ts';
import type { ServerParts } from '../server-parts.ts';

/** Returns all of them. */
export function mountEvents(router: Router, parts: ServerParts): readonly StreamOpener[] {
  const { hub, talkHub, runLists, heldFiles, runtime } = parts;
  const { conversations, files, projects, runs, system } = ENDPOINTS;
  return [
    mountStream(router, runs.events, ({ params, query, lastSeq, hangUp }) =>
      hub.open(params.runId, lastSeq ?? query.after, hangUp),
    ),
    mountStream(router, conversations.events, ({ params, query, lastSeq, hangUp }) =>
      talkHub.open(params.conversationId, lastSeq ?? query.after, hangUp),
    ),
    mountStream(router, projects.events, async ({ params: { projectId }, hangUp }) => {
      await readProject(runtime.store, projectId);
      return runLists.open(projectId, hangUp);
    }),
    mountStream(router, files.events, ({ params, hangUp }) => heldFiles.watch(params.projectId, hangUp)),
    mountStream(router, system.events, ({ hangUp }) => runLists.open(undefined, hangUp)),
  ];
}
