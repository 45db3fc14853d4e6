/**
 * Takes a run back to a node where it was before, as its log tells, and with it, if the person wants that, what the run
 * changed in the project since it last came there.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import type { UndoneFile } from '@crewagent/protocol/journal';
import type { ExecutionEngine } from '../engine/execution-engine.ts';
import type { StopPoint } from '../engine/stop-point.ts';
import type { Journal } from '../store/disk/journal.ts';
import { moveChanges } from './move-changes.ts';

export interface RewindRequest {
  readonly nodeId: string;
  readonly undoesFiles: boolean;
}

export interface Rewound {
  readonly stop: StopPoint;
  /** What became of the files; those in conflict are as they were. */
  readonly files: readonly UndoneFile[];
}

export interface RewindParts {
  readonly engine: Pick<ExecutionEngine, 'rewind' | 'emit'>;
  readonly journal: Journal;
  readLog(onEvent: (event: RunEvent) => void): Promise<unknown>;
}

export async function rewindRun(
  { engine, journal, readLog }: RewindParts,
  { nodeId, undoesFiles }: RewindRequest,
): Promise<Rewound> {
  const callsSince = await findCallsSince(readLog, nodeId);
  let files: readonly UndoneFile[] = [];
  const undo = async (): Promise<void> => {
    const first = journal.list().find(({ callId }) => callsSince?.has(callId));
    if (undoesFiles && first)
      files = await moveChanges(journal, 'undo', { fromChange: first.changeId }, engine.emit);
  };
  const stop = await engine.rewind({ nodeId, wasThere: callsSince !== undefined, undo });
  return { stop, files };
}

/** Calls that were begun since the run last came to a node, or was taken back to it; undefined where it never was. */
async function findCallsSince(
  readLog: RewindParts['readLog'],
  nodeId: string,
): Promise<Set<string> | undefined> {
  let calls: Set<string> | undefined;
  await readLog((event) => {
    if (arrivesAt(event) === nodeId) calls = new Set();
    else if (event.type === 'tool.started') calls?.add(event.callId);
  });
  return calls;
}

function arrivesAt(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run.created':
      return event.entryNodeId;
    case 'state.changed':
      return event.from === event.to && !event.isRewind ? undefined : event.to;
    default:
      return undefined;
  }
}
