/**
 * A person's changes of the state document: an edit, validated by the same gate as changes of the model, and a rewind to a node.
 */
import { CrewError } from '../base/crew-error.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import { DamagedState } from '../tools/state/state-file.ts';
import { abandonCall, forgetCalls } from './calls/call-workflow.ts';
import { type LiveRun, noteOutsideChanges } from './live-run.ts';
import { readState } from './run-position.ts';
import { type StopPoint, waiting } from './stop-point.ts';
import { endOpenCalls } from './tool-round.ts';

export interface EditedState {
  /** The written text, including additions of the runtime. */
  readonly text: string;
  readonly sha256: string;
  /** Additions of the runtime. */
  readonly notes: readonly string[];
}

/** Throws the error code of the gate if it rejects the change; the document is then unchanged. */
export async function editState(run: LiveRun, text: string, ifMatchSha256: string): Promise<EditedState> {
  const { gate } = run;
  if (!gate) throw new CrewError('RUN_NOT_READY', 'A conversation has no state document.');
  run.resetForRun();
  const base = await readState(gate);
  if (base.sha256 !== ifMatchSha256) throw changed(base.sha256);
  const validated = await gate.validate(base, text, { isPerson: true });
  if (!validated.ok) {
    const { code, message, details } = validated.error;
    throw new CrewError(code, message, details ? { details: { ...details } } : {});
  }
  try {
    const written = await gate.commit(validated.change);
    return { text: written.text, sha256: written.sha256, notes: validated.change.notes };
  } catch (error) {
    if (error instanceof ChangedMeanwhile) throw changed((await readState(gate)).sha256);
    throw error;
  }
}

function changed(sha256: string): CrewError {
  return new CrewError(
    'E_PRECONDITION_FAILED',
    'The state document is not what you last read; read it again, then repeat your change.',
    { details: { sha256 } },
  );
}

export interface Rewind {
  readonly nodeId: string;
  /** Whether the log contains a visit of the node. */
  readonly wasThere: boolean;
  /** Undoes the changes to the project since then, if the person wants that. */
  undo(): Promise<unknown>;
}

/**
 * Resets a run to a node that it has visited, or to the start of the current one. The run can be resumed if the process dies at any
 * point: it is at its old position until the document is written, and at the new one after that.
 */
export async function rewind(run: LiveRun, { nodeId, wasThere, undo }: Rewind): Promise<StopPoint> {
  const { gate, sources } = run;
  if (!gate) throw new CrewError('RUN_NOT_READY', 'A conversation has no node to return to.');
  run.resetForRun();
  const position = await run.position();
  if (!sources.plan?.nodes.has(nodeId) || !(wasThere || position.nodeId === nodeId))
    throw new CrewError(
      'RUN_NOT_READY',
      `The run has not visited "${nodeId}"; choose a node that it has visited.`,
    );
  await noteOutsideChanges(run);
  endOpenCalls(run, 'The user rewound the run before this call was made.');
  await abandonCall(run);
  await undo();
  try {
    await gate.rewind(nodeId);
    await forgetCalls(run);
  } catch (error) {
    if (error instanceof DamagedState) throw new CrewError('STATE_DAMAGED', error.message, { cause: error });
    if (error instanceof ChangedMeanwhile)
      throw new CrewError('E_PRECONDITION_FAILED', 'The state document was changed just now; try again.');
    throw error;
  }
  const stop = waiting('rewound', `The run was reset to "${nodeId}"; resume it to continue from there.`, {
    nodeId,
  });
  run.emit({ type: 'phase.changed', ...stop });
  await run.log.sync();
  await sources.savePhase(stop.phase, stop.reason);
  return stop;
}
