/**
 * Commands of a person for a run with an open call, while nothing is running: leaving the call, changing the state of the
 * caller, changing the called run.
 */

import type { LiveRun } from '../live-run.ts';
import { abandonCall, findCall, leaveNode, toCallerStop } from './call-workflow.ts';
import type { SkippedCall } from './called-run.ts';

/** Leaves the node of the innermost call, or of the call at `skipped.nodeId`. */
export async function leaveCallNode(run: LiveRun, skipped: SkippedCall): Promise<void> {
  run.resetForRun();
  const called = run.child?.engine;
  const isOwn = called?.calledId === undefined || run.memory.call?.nodeId === skipped.nodeId;
  await (called && !isOwn ? called.leaveCall(skipped) : leaveNode(run, skipped.to));
}

/** Closes the call if an edit by a person moved the run to another node. */
export async function settleCall(run: LiveRun): Promise<void> {
  run.resetForRun();
  const position = await run.position();
  const call = await findCall(run, position);
  if (!call && run.child) await abandonCall(run);
}

/** After a change of the called run, its caller takes over its stop. */
export async function followCall(run: LiveRun): Promise<void> {
  await run.child?.engine.followCall();
  const { at } = await run.position();
  const called = run.child?.engine.memory;
  if (!called || !at || called.phase === 'Running') return;
  const { phase, reason } = called;
  const stop = toCallerStop({ phase, ...(reason ? { reason } : {}) }, at.node);
  run.emit({ type: 'phase.changed', ...stop });
  await run.sources.savePhase(stop.phase, stop.reason);
}
