/**
 * Artifacts whose files an undo removed leave the state document of a run; a redo brings them back. The event is written first: a
 * document that is behind its log is read as it is, and the next undo or redo of the files completes the change.
 */
import type { RunFact } from '@crewagent/protocol/events';
import type { UndoneFile } from '@crewagent/protocol/journal';
import { toProjectPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import type { ArtifactChange } from '../../tools/state/change-artifacts.ts';
import { DamagedState } from '../../tools/state/state-file.ts';

export interface ArtifactList {
  /** As the state document has it. */
  readonly recorded: readonly string[];
  /** What earlier undos took out of it. */
  readonly undone: ReadonlySet<string>;
  append(fact: RunFact): unknown;
  change(change: ArtifactChange): Promise<unknown>;
}

export async function followMoves(
  files: readonly UndoneFile[],
  { kindOf }: Pick<MountedFs, 'kindOf'>,
  { recorded, undone, append, change }: ArtifactList,
): Promise<void> {
  const moved = files
    .filter(({ outcome }) => MOVED.has(outcome))
    .map(({ path }) => toProjectPath(path).segments);
  const pathsOf = (exists: boolean): string[] =>
    moved
      .filter((segments) => (kindOf(segments) === 'file') === exists)
      .map((segments) => segments.join('/'));
  const removed = pathsOf(false).filter((path) => recorded.includes(path));
  const restored = pathsOf(true).filter((path) => undone.has(path) && !recorded.includes(path));
  if (removed.length === 0 && restored.length === 0) return;
  append({ type: 'artifacts.changed', removed, restored });
  try {
    await change({ remove: removed, append: restored });
  } catch (error) {
    // The files are moved; what is wrong with the document is reported when the run is opened.
    if (!(error instanceof DamagedState)) throw error;
  }
}

const MOVED: ReadonlySet<UndoneFile['outcome']> = new Set(['deleted', 'recreated', 'restored', 'unchanged']);
