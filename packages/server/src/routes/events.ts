/**
 * Event streams: of one Work, of one project and its files, of all Works.
 */
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { Router } from '../mount.ts';
import { mountStream, type StreamOpener } from '../open-streams.ts';
import type { ServerParts } from '../server-parts.ts';

/** Returns the openers of all event streams. */
export function mountEvents(router: Router, parts: ServerParts): readonly StreamOpener[] {
  const { hub, worksList, heldFiles, runtime } = parts;
  const { files, projects, system, works } = ENDPOINTS;
  return [
    mountStream(router, works.events, ({ params, query, lastSeq, disconnect }) =>
      hub.open(params.workId, lastSeq ?? query.after, disconnect),
    ),
    mountStream(router, projects.events, async ({ params: { projectId }, disconnect }) => {
      await runtime.store.projects.read(projectId);
      return worksList.open(projectId, disconnect);
    }),
    mountStream(router, files.events, ({ params, disconnect }) =>
      heldFiles.watch(params.projectId, disconnect),
    ),
    mountStream(router, system.events, ({ disconnect }) => worksList.open(undefined, disconnect)),
  ];
}
