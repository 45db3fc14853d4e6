/**
 * Opens the changes of a run with those of its called runs, or of a conversation with those of its runs. Lists, undoes and
 * redoes them in the order in which they were made, across all of them.
 */
import type { JournalEntry, UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import { compareTexts } from '../../base/compare-texts.ts';
import { CrewError, ifPossible } from '../../base/crew-error.ts';
import type { Store } from '../../store/store.ts';
import { runBeside, type WorkAddress } from '../../store/work-address.ts';
import { type OpenChanges, openChanges, undoSteps } from './open-changes.ts';

interface Disk {
  readonly store: Store;
  readonly now: () => Date;
  /** Include the runs of a conversation. */
  readonly withRuns?: boolean;
}

/** Of the changes that a fork made to the project before it began: no tool made them. */
export const FORK_CALL = 'fork';

/** A tool call of one of the runs. */
interface TreeStep {
  readonly callId: string;
  readonly ts: string;
  readonly owner: OpenChanges;
  /** Node ids from the root down to the node of the call. */
  readonly nodes: readonly string[];
}

export async function openTreeChanges(address: WorkAddress, disk: Disk): Promise<OpenChanges> {
  const opened: OpenChanges[] = [];
  const close = async (): Promise<void> => {
    for (const changes of opened) await changes.close();
  };
  let steps: TreeStep[];
  try {
    steps = await collect(address, [], { disk, opened });
  } catch (error) {
    await close();
    throw error;
  }
  const [root] = opened;
  if (!root) throw new Error('the root run was not opened');
  if (opened.length === 1) return root;
  const move = async (direction: 'undo' | 'redo', selection: UndoSelection): Promise<UndoneFile[]> => {
    const isOwn =
      'callId' in selection && steps.some((step) => step.callId === selection.callId && step.owner === root);
    const runId = isOwn && !selection.runId ? root.record.workId : undefined;
    const chosen = steps.filter(
      (step) =>
        isChosen(step, selection) &&
        (runId === undefined || step.owner.record.workId === runId) &&
        isMovable(step, direction),
    );
    const inOrder = direction === 'undo' ? chosen : [...chosen].reverse();
    const byKey = new Map(inOrder.map((step, at) => [String(at), step]));
    const files = await undoSteps(
      [...byKey.keys()].map((callId) => ({ callId })),
      {
        async call(key) {
          const step = byKey.get(key);
          return step ? step.owner[direction]({ callId: step.callId }) : [];
        },
        child: () => Promise.resolve([]),
      },
    );
    // The artifacts of a called run are those of its callers, too.
    if (files.length > 0) for (const owner of opened) await owner.followMoves(files);
    return files;
  };
  return {
    record: root.record,
    journal: { list: () => steps.flatMap(toRootEntries) },
    undo: (selection) => move('undo', selection),
    redo: (selection) => move('redo', selection),
    followMoves: root.followMoves,
    close,
  };
}

/** Opens a Work, the runs of a conversation and called runs. A run that was deleted is skipped. */
async function collect(
  address: WorkAddress,
  callers: readonly string[],
  { disk, opened }: { readonly disk: Disk; readonly opened: OpenChanges[] },
): Promise<TreeStep[]> {
  const owner = await openChanges(address, disk).catch((error: unknown) => {
    const isGone = error instanceof CrewError && error.code === 'RUN_NOT_FOUND';
    if (isGone && opened.length > 0) return undefined;
    throw error;
  });
  if (!owner) return [];
  opened.push(owner);
  const found: (TreeStep | { readonly childId: string; readonly nodeId?: string })[] = [];
  const entered = new Set<string>();
  await disk.store.works.readLog(address, (event) => {
    if (event.type === 'call.started') found.push(event);
    if (disk.withRuns && event.type === 'run.entered' && !entered.has(event.enteredRunId)) {
      entered.add(event.enteredRunId);
      found.push({ childId: event.enteredRunId });
    }
    if (event.type === 'work.forked')
      found.push({ callId: FORK_CALL, ts: event.ts, owner, nodes: [...callers, event.nodeId ?? ''] });
    if (event.type === 'tool.started')
      found.push({ callId: event.callId, ts: event.ts, owner, nodes: [...callers, event.nodeId ?? ''] });
  });
  const steps: TreeStep[] = [];
  for (const step of found) {
    if ('callId' in step) steps.push(step);
    else {
      const path = step.nodeId === undefined ? callers : [...callers, step.nodeId];
      steps.push(...(await collect(runBeside(address, step.childId), path, { disk, opened })));
    }
  }
  const changing = steps.filter((step) => changesOf(step.owner, step.callId).length > 0);
  // A run of a conversation can be left and entered again, with other changes between.
  return entered.size === 0 ? changing : changing.sort((a, b) => compareTexts(a.ts, b.ts));
}

function changesOf({ journal }: OpenChanges, callId: string): JournalEntry[] {
  return journal.list().filter((change) => change.callId === callId);
}

function toRootEntries({ owner, callId, nodes: [nodeId = '', ...called] }: TreeStep): JournalEntry[] {
  const changes = changesOf(owner, callId);
  return called.length === 0
    ? changes
    : changes.map((change) => asCalled(change, nodeId, owner.record.workId));
}

/** Seen from the root: the node of its own that led to the change. */
function asCalled(change: JournalEntry, nodeId: string, runId: string): JournalEntry {
  return { ...change, ...(nodeId ? { nodeId } : {}), runId };
}

/**
 * What the runs that this one called changed, for a list of all that it did. `findOpen` has the changes of those that are open
 * in this process.
 */
export async function listCalledChanges(
  address: WorkAddress,
  disk: Disk,
  findOpen: (workId: string) => Promise<readonly JournalEntry[] | undefined>,
): Promise<JournalEntry[]> {
  const calls: { readonly childId: string; readonly nodeId: string }[] = [];
  await disk.store.works.readLog(address, (event) => {
    if (event.type === 'call.started') calls.push(event);
  });
  const found: JournalEntry[] = [];
  for (const { childId, nodeId } of calls) {
    const child = runBeside(address, childId);
    const own = (await findOpen(childId)) ?? (await listClosed(child, disk));
    const deeper = await listCalledChanges(child, disk, findOpen);
    found.push(...own.map((change) => asCalled(change, nodeId, childId)));
    found.push(...deeper.map((change) => ({ ...change, nodeId })));
  }
  return found;
}

/** Empty for a run that was deleted or that a process has open. */
async function listClosed(address: WorkAddress, disk: Disk): Promise<readonly JournalEntry[]> {
  const changes = await ifPossible(openChanges(address, disk));
  try {
    return changes?.journal.list() ?? [];
  } finally {
    await changes?.close();
  }
}

function isChosen({ callId, nodes, owner }: TreeStep, selection: UndoSelection): boolean {
  if ('callId' in selection)
    return callId === selection.callId && (selection.runId ?? owner.record.workId) === owner.record.workId;
  return 'nodeId' in selection ? nodes.includes(selection.nodeId) : true;
}

function isMovable({ owner, callId }: TreeStep, direction: 'undo' | 'redo'): boolean {
  return changesOf(owner, callId).some(({ undone }) => undone === (direction === 'redo'));
}
