/**
 * Rewinds a run to a node it has visited, according to its log. With `undoesFiles`, also undoes the file changes
 * since the last arrival at that node.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import type { UndoneFile } from '@crewagent/protocol/journal';
import type { ExecutionEngine } from '../../engine/execution-engine.ts';
import type { StopPoint } from '../../engine/stop-point.ts';
import type { Journal } from '../../store/journal.ts';
import { moveChanges, type UndoStep, undoSteps } from './open-changes.ts';

export interface RewindRequest {
  readonly nodeId: string;
  readonly undoesFiles: boolean;
}

export interface Rewound {
  readonly stop: StopPoint;
  /** Outcome per file; files in conflict are unchanged. */
  readonly files: readonly UndoneFile[];
}

export interface RewindParts {
  readonly engine: Pick<ExecutionEngine, 'rewind' | 'emit'>;
  readonly journal: Journal;
  readLog(onEvent: (event: RunEvent) => void): Promise<unknown>;
  /** Undoes the changes of a called run. */
  undoCalled?(childId: string): Promise<readonly UndoneFile[]>;
  /** Corrects the artifacts of the run after files were moved. */
  follow(files: readonly UndoneFile[]): Promise<void>;
}

export async function rewindRun(
  { engine, journal, readLog, undoCalled = () => Promise.resolve([]), follow }: RewindParts,
  { nodeId, undoesFiles }: RewindRequest,
): Promise<Rewound> {
  const steps = await findStepsSince(readLog, nodeId);
  let files: readonly UndoneFile[] = [];
  const undo = async (): Promise<void> => {
    if (!undoesFiles || !steps) return;
    const calls = new Set(steps.flatMap((step) => ('callId' in step ? [step.callId] : [])));
    if (calls.size < steps.length) {
      files = await undoSteps(steps, {
        child: undoCalled,
        async call(callId) {
          const isChanged = journal.list().some((change) => change.callId === callId && !change.undone);
          return isChanged ? moveChanges(journal, 'undo', { callId }, engine.emit) : [];
        },
      });
      return;
    }
    const first = journal.list().find(({ callId }) => calls.has(callId));
    if (first) files = await moveChanges(journal, 'undo', { fromChange: first.changeId }, engine.emit);
  };
  const undoAndFollow = async (): Promise<void> => {
    await undo();
    await follow(files);
  };
  const stop = await engine.rewind({ nodeId, wasThere: steps !== undefined, undo: undoAndFollow });
  return { stop, files };
}

/** Calls since the run last arrived at a node or was rewound to it; undefined if it never visited the node. */
async function findStepsSince(
  readLog: RewindParts['readLog'],
  nodeId: string,
): Promise<UndoStep[] | undefined> {
  let steps: UndoStep[] | undefined;
  await readLog((event) => {
    if (arrivedAt(event) === nodeId) steps = [];
    else if (event.type === 'tool.started') steps?.push({ callId: event.callId });
    else if (event.type === 'call.started') steps?.push({ childId: event.childId });
  });
  return steps;
}

function arrivedAt(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run.created':
      return event.entryNodeId;
    case 'state.changed':
      return event.from === event.to && !event.isRewind ? undefined : event.to;
    default:
      return undefined;
  }
}
