/**
 * What a Work changed in its project, opened to be looked at, taken back or brought back. Needs the journal and the
 * project, and neither a package nor a model: what is long over can still be undone.
 */
import type { UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/secret-files.ts';
import { type Journal, openJournal } from '../store/disk/journal.ts';
import type { StoreLayout, WorkAddress, WorkPaths } from '../store/disk/layout.ts';
import { readProject } from '../store/disk/project-store.ts';
import { openRunLog } from '../store/disk/run-log.ts';
import { takeWorkLock } from '../store/disk/work-lock.ts';
import { readWork } from '../store/disk/work-record.ts';
import { requireFolder } from './assemble-engine.ts';
import { moveChanges } from './move-changes.ts';

export interface OpenChanges {
  readonly record: WorkRecord;
  readonly journal: Pick<Journal, 'list'>;
  undo(selection: UndoSelection): Promise<UndoneFile[]>;
  redo(selection: UndoSelection): Promise<UndoneFile[]>;
  close(): Promise<void>;
}

interface Disk {
  readonly store: StoreLayout;
  readonly now: () => Date;
}

/** Its own; each run of a conversation has a journal of its own. */
export async function openChanges(address: WorkAddress, disk: Disk): Promise<OpenChanges> {
  const { store } = disk;
  const lock = await takeWorkLock(store, address);
  try {
    const record = await readWork(store, address);
    const opened = await openJournalOf(record, store.work(address), disk);
    return { record, ...opened, close: () => lock.release() };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openJournalOf(
  record: WorkRecord,
  paths: WorkPaths,
  { store, now }: Disk,
): Promise<Omit<OpenChanges, 'record' | 'close'>> {
  const { path: project } = await readProject(store, record.projectId);
  await requireFolder(project);
  const pkg = isRun(record) ? store.packageFolder(record.packageHash) : undefined;
  const files = createMountedFs(
    { project, pkg, state: paths.state },
    createSecretCheck(record.tools.fs.secretPatterns),
  );
  const journal = await openJournal({ folder: paths.journal, files, clock: now, warn: () => undefined });
  const move = async (direction: 'undo' | 'redo', selection: UndoSelection): Promise<UndoneFile[]> => {
    const log = await openRunLog({ file: paths.log, outputs: paths.outputs, runId: record.workId, now });
    try {
      const moved = await moveChanges(journal, direction, selection, log.append);
      await log.sync();
      return moved;
    } finally {
      await log.close();
    }
  };
  return {
    journal,
    undo: (selection) => move('undo', selection),
    redo: (selection) => move('redo', selection),
  };
}
