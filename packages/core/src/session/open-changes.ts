/**
 * What a run changed in its project, opened to be looked at, taken back or brought back. Needs the run's journal and the
 * project, and neither its package nor a model: a run that is long over can still be undone.
 */
import type { UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import type { RunRecord } from '@crewagent/protocol/run';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/secret-files.ts';
import { type Journal, openJournal } from '../store/journal.ts';
import type { RunAddress, StoreLayout } from '../store/layout.ts';
import { readProject } from '../store/project-store.ts';
import { takeRunLock } from '../store/run-lock.ts';
import { openRunLog } from '../store/run-log.ts';
import { readRunRecord } from '../store/run-store.ts';
import { requireFolder } from './assemble-engine.ts';
import { moveChanges } from './move-changes.ts';

export interface OpenChanges {
  readonly record: RunRecord;
  readonly journal: Pick<Journal, 'list'>;
  undo(selection: UndoSelection): Promise<UndoneFile[]>;
  redo(selection: UndoSelection): Promise<UndoneFile[]>;
  /** Unlocks the run. */
  close(): Promise<void>;
}

export async function openChanges(
  address: RunAddress,
  { store, now }: { readonly store: StoreLayout; readonly now: () => Date },
): Promise<OpenChanges> {
  const paths = store.run(address);
  const lock = await takeRunLock(paths.lock);
  try {
    const record = await readRunRecord(store, address);
    const { path: project } = await readProject(store, record.projectId);
    await requireFolder(project);
    const roots = { project, pkg: store.packageFolder(record.packageHash), state: paths.state };
    const files = createMountedFs(roots, createSecretCheck(record.tools.fs.secretPatterns));
    const journal = await openJournal({ folder: paths.journal, files, clock: now, warn: () => undefined });
    const move = async (direction: 'undo' | 'redo', selection: UndoSelection): Promise<UndoneFile[]> => {
      const log = await openRunLog({ file: paths.log, runId: record.runId, now });
      try {
        const moved = await moveChanges(journal, direction, selection, log.append);
        await log.sync();
        return moved;
      } finally {
        await log.close();
      }
    };
    return {
      record,
      journal,
      undo: (selection) => move('undo', selection),
      redo: (selection) => move('redo', selection),
      close: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
