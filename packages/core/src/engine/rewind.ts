/**
 * A person takes a run back to a node where it was, or to the beginning of the one it is at. Whatever moment the process dies
 * at, what is on disk can be resumed: before the document is written the run is where it was, after that it is where the
 * person wanted it.
 */
import { CrewError } from '../base/crew-error.ts';
import { ChangedMeanwhile } from '../mounts/file-identity.ts';
import { DamagedState } from '../tools/state-gate.ts';
import { abandonCall, forgetCalls } from './call-workflow.ts';
import { type LiveRun, noteOutsideChanges } from './live-run.ts';
import { type StopPoint, waiting } from './stop-point.ts';
import { endOpenCalls } from './tool-round.ts';

export interface Rewind {
  readonly nodeId: string;
  /** The log knows of a stay there. */
  readonly wasThere: boolean;
  /** Takes back what was changed in the project since, if the person wants that. */
  undo(): Promise<unknown>;
}

export async function rewind(run: LiveRun, { nodeId, wasThere, undo }: Rewind): Promise<StopPoint> {
  const { gate, sources } = run;
  if (!gate) throw new CrewError('RUN_NOT_READY', 'A talk has no node to go back to.');
  run.resetForRun();
  const position = await run.position();
  if (!sources.plan?.nodes.has(nodeId) || !(wasThere || position.nodeId === nodeId))
    throw new CrewError(
      'RUN_NOT_READY',
      `The run was never at "${nodeId}"; it can go back only to where it was.`,
    );
  await noteOutsideChanges(run);
  endOpenCalls(run, 'The person took the run back before this call was made.');
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
  const stop = waiting('rewound', `The run was taken back to "${nodeId}"; resume it to go on from there.`, {
    nodeId,
  });
  run.emit({ type: 'phase.changed', ...stop });
  await run.log.sync();
  await sources.savePhase(stop.phase, stop.reason);
  return stop;
}
