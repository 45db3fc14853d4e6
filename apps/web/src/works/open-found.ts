/** Opens what a search found: the file, or the conversation at the moment of the message. */
import type { FoundWork, Snippet } from '@crewagent/protocol/api/search';
import { openMoment, toMoment } from '../navigation/moment.ts';
import { openInFront } from '../navigation/open-in-front.ts';
import { openFile } from '../state/open-files.ts';

export function openFound({ projectId, workId }: FoundWork, { kind, path, runId, seq }: Snippet): void {
  openInFront({ name: 'work', projectId, workId });
  if (path !== undefined) openFile(projectId, path);
  // A title is of the whole.
  else if (kind !== 'title') openMoment(toMoment({ runId, seq }, workId));
}
