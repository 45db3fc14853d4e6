/**
 * What a run or a talk changed in its project, opened to be looked at, taken back or brought back. Needs the journal and the
 * project, and neither a package nor a model: what is long over can still be undone.
 */
import type { UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import type { RunRecord } from '@crewagent/protocol/run';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/secret-files.ts';
import { readConversationRecord, takeConversationLock } from '../store/conversation-store.ts';
import { type Journal, openJournal } from '../store/journal.ts';
import type { ConversationAddress, RunAddress, StoreLayout } from '../store/layout.ts';
import { readProject } from '../store/project-store.ts';
import { type RunLock, takeRunLock } from '../store/run-lock.ts';
import { openRunLog } from '../store/run-log.ts';
import { readRunRecord } from '../store/run-store.ts';
import { requireFolder } from './assemble-engine.ts';
import { moveChanges } from './move-changes.ts';

export interface TalkChanges {
  readonly journal: Pick<Journal, 'list'>;
  undo(selection: UndoSelection): Promise<UndoneFile[]>;
  redo(selection: UndoSelection): Promise<UndoneFile[]>;
  close(): Promise<void>;
}

export interface OpenChanges extends TalkChanges {
  readonly record: RunRecord;
}

interface Disk {
  readonly store: StoreLayout;
  readonly now: () => Date;
}

export async function openChanges(address: RunAddress, disk: Disk): Promise<OpenChanges> {
  const { store } = disk;
  const paths = store.run(address);
  return underLock(await takeRunLock(paths.lock), async () => {
    const record = await readRunRecord(store, address);
    const pkg = store.packageFolder(record.packageHash);
    return { record, ...(await openJournalOf({ ...record, id: record.runId, paths, pkg }, disk)) };
  });
}

/** Those of the talk; each run of the conversation has its own. */
export async function openTalkChanges(address: ConversationAddress, disk: Disk): Promise<TalkChanges> {
  const { store } = disk;
  const paths = store.conversation(address);
  return underLock(await takeConversationLock(store, address), async () => {
    const record = await readConversationRecord(store, address);
    return openJournalOf({ ...record, id: record.conversationId, paths, pkg: undefined }, disk);
  });
}

async function underLock<Opened>(
  lock: RunLock,
  open: () => Promise<Opened>,
): Promise<Opened & Pick<TalkChanges, 'close'>> {
  try {
    return { ...(await open()), close: () => lock.release() };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Source {
  readonly id: string;
  readonly projectId: string;
  readonly tools: RunRecord['tools'];
  readonly paths: {
    readonly state: string;
    readonly journal: string;
    readonly log: string;
    readonly outputs?: string;
  };
  readonly pkg: string | undefined;
}

async function openJournalOf(
  { id, projectId, tools, paths, pkg }: Source,
  { store, now }: Disk,
): Promise<Omit<TalkChanges, 'close'>> {
  const { path: project } = await readProject(store, projectId);
  await requireFolder(project);
  const files = createMountedFs(
    { project, pkg, state: paths.state },
    createSecretCheck(tools.fs.secretPatterns),
  );
  const journal = await openJournal({ folder: paths.journal, files, clock: now, warn: () => undefined });
  const move = async (direction: 'undo' | 'redo', selection: UndoSelection): Promise<UndoneFile[]> => {
    const log = await openRunLog({ file: paths.log, outputs: paths.outputs, runId: id, now });
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
