/**
 * Opens the changes of a Work to list, undo or redo them. Needs only the journal and the project, neither a package
 * nor a model, so that old Works can still be undone.
 */

import type { RunFact } from '@crewagent/protocol/events';
import type { ChangeSelection, UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import { addToUndone } from '@crewagent/protocol/run-state';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../../base/crew-error.ts';
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import type { Journal } from '../../store/journal.ts';
import { requireFolder } from '../../store/project-store.ts';
import type { Store } from '../../store/store.ts';
import type { RunAddress, WorkAddress } from '../../store/work-address.ts';
import { type ArtifactChange, changeArtifacts } from '../../tools/state/change-artifacts.ts';
import { DamagedState, openStateFile } from '../../tools/state/state-file.ts';
import { followMoves } from './follow-moves.ts';

export interface OpenChanges {
  readonly record: WorkRecord;
  readonly journal: Pick<Journal, 'list'>;
  undo(selection: UndoSelection): Promise<UndoneFile[]>;
  redo(selection: UndoSelection): Promise<UndoneFile[]>;
  /** Corrects the artifacts of the run after files were moved, also by a run that it called. */
  followMoves(files: readonly UndoneFile[]): Promise<void>;
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
    { project, pkg, state: await store.works.stateFolder(address) },
    createSecretCheck(record.tools.fs.secretPatterns),
  );
  const journal = await store.works.openJournal(address, { files, clock: now, warn: () => undefined });
  const write = async <T>(work: (append: (fact: RunFact) => unknown) => Promise<T>): Promise<T> => {
    const log = await store.works.openLog(address, { now });
    try {
      const done = await work(log.append);
      await log.sync();
      return done;
    } finally {
      await log.close();
    }
  };
  const follow = async (moved: readonly UndoneFile[], append: (fact: RunFact) => unknown): Promise<void> => {
    const artifacts = record.workflowRef === undefined ? undefined : await readArtifacts(address, store);
    if (artifacts) await followMoves(moved, files, { ...artifacts, append });
  };
  const move = (direction: 'undo' | 'redo', selection: UndoSelection): Promise<UndoneFile[]> =>
    write(async (append) => {
      const moved = await moveChanges(journal, direction, selection, append);
      if (moved.length === 0) return moved;
      await follow(moved, append);
      // Processes that show the Work notice that it changed.
      const updatedAt = now().toISOString();
      await store.works.update(address, (latest: WorkRecord) => ({ ...latest, updatedAt }));
      return moved;
    });
  return {
    journal,
    undo: (selection) => move('undo', selection),
    redo: (selection) => move('redo', selection),
    followMoves: (moved) => write((append) => follow(moved, append)),
  };
}

/** Undefined if the state document is damaged. */
async function readArtifacts(address: WorkAddress, { works }: Store) {
  const file = openStateFile(works.openState(address));
  const undone = new Set<string>();
  try {
    const { state } = await file.read();
    await works.readLog(address, (event) => addToUndone(undone, event));
    const change = (to: ArtifactChange) => changeArtifacts(file, to);
    return { recorded: state.artifacts, undone, change };
  } catch (error) {
    if (error instanceof DamagedState) return undefined;
    throw error;
  }
}

/** Undo and redo: restores files through the journal and records the result in the log, with or without an open engine. */
export async function moveChanges(
  journal: Journal,
  direction: 'undo' | 'redo',
  selection: ChangeSelection,
  append: (fact: RunFact) => unknown,
): Promise<UndoneFile[]> {
  const files = await journal[direction](selection);
  if (files.length > 0) append({ type: 'changes.undone', direction, selection, files });
  return files;
}

/** A step that can be undone: a tool call, or the call of a sub-workflow. */
export type UndoStep = { readonly callId: string } | { readonly childId: string };

/** Undoes steps of a run and of its called runs in reverse order. */
export async function undoSteps(
  steps: readonly UndoStep[],
  undo: {
    call(callId: string): Promise<readonly UndoneFile[]>;
    child(childId: string): Promise<readonly UndoneFile[]>;
  },
): Promise<UndoneFile[]> {
  const files = new Map<string, UndoneFile>();
  for (const step of [...steps].reverse()) {
    const undone = 'childId' in step ? await undo.child(step.childId) : await undo.call(step.callId);
    // Keeps the first outcome of a file that could not be restored.
    for (const file of undone) if (!isStuck(files.get(file.path))) files.set(file.path, file);
  }
  return [...files.values()];
}

function isStuck(file: UndoneFile | undefined): boolean {
  return file !== undefined && ['conflict', 'not-recorded', 'failed'].includes(file.outcome);
}

/**
 * Undoes the file changes of a called run and of the runs it called, in the reverse order of their calls, because they may
 * have changed the same files; a no-op if the run was deleted.
 */
export async function undoCalledRun(
  address: RunAddress,
  disk: { readonly store: Store; readonly now: () => Date },
): Promise<readonly UndoneFile[]> {
  const steps: UndoStep[] = [];
  await disk.store.works.readLog(address, (event) => {
    if (event.type === 'tool.started') steps.push({ callId: event.callId });
    if (event.type === 'call.started') steps.push({ childId: event.childId });
  });
  const changes = await openChanges(address, disk).catch((error: unknown) => {
    if (error instanceof CrewError && error.code === 'RUN_NOT_FOUND') return undefined;
    throw error;
  });
  if (!changes) return [];
  try {
    const changed = new Set(changes.journal.list().flatMap(({ callId, undone }) => (undone ? [] : [callId])));
    const files = await undoSteps(steps, {
      call: async (callId) => (changed.has(callId) ? changes.undo({ callId }) : []),
      child: (workId) => undoCalledRun({ ...address, workId }, disk),
    });
    await changes.followMoves(files);
    return files;
  } finally {
    await changes.close();
  }
}
