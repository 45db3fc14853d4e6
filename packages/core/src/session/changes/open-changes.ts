/**
 * Opens the changes of a Work to list, undo or redo them. Needs only the journal and the project, neither a package
 * nor a model, so that old Works can still be undone.
 */

import type { UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import type { WorkRecord } from '@crewagent/protocol/work';
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import type { Journal } from '../../store/journal.ts';
import type { Store } from '../../store/store.ts';
import type { WorkAddress } from '../../store/work-address.ts';
import { requireFolder } from '../assemble-engine.ts';
import { moveChanges } from './move-changes.ts';

export interface OpenChanges {
  readonly record: WorkRecord;
  readonly journal: Pick<Journal, 'list'>;
  undo(selection: UndoSelection): Promise<UndoneFile[]>;
  redo(selection: UndoSelection): Promise<UndoneFile[]>;
  close(): Promise<void>;
}

interface Disk {
  readonly store: Store;
  readonly now: () => Date;
}

/** Opens the Work's own journal; each run of a conversation has its own. */
export async function openChanges(address: WorkAddress, disk: Disk): Promise<OpenChanges> {
  const { store } = disk;
  const lease = await store.works.lease(address);
  try {
    const record = await store.works.read(address);
    const opened = await openJournalOf(record, address, disk);
    return { record, ...opened, close: () => lease.release() };
  } catch (error) {
    await lease.release();
    throw error;
  }
}

async function openJournalOf(
  record: WorkRecord,
  address: WorkAddress,
  { store, now }: Disk,
): Promise<Omit<OpenChanges, 'record' | 'close'>> {
  const { path: project } = await store.projects.read(record.projectId);
  await requireFolder(project);
  const pkg = record.packageHash === undefined ? undefined : store.packages.folder(record.packageHash);
  const files = createMountedFs(
    { project, pkg, state: store.works.stateFolder(address) },
    createSecretCheck(record.tools.fs.secretPatterns),
  );
  const journal = await store.works.openJournal(address, { files, clock: now, warn: () => undefined });
  const move = async (direction: 'undo' | 'redo', selection: UndoSelection): Promise<UndoneFile[]> => {
    const log = await store.works.openLog(address, { now });
    try {
      const moved = await moveChanges(journal, direction, selection, log.append);
      await log.sync();
      // Processes that show the Work notice that it changed.
      const updatedAt = now().toISOString();
      if (moved.length > 0)
        await store.works.update(address, (latest: WorkRecord) => ({ ...latest, updatedAt }));
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
