/**
 * What a person does to a run that is in the middle of a call, while nothing is under way: leaving the call, changing the
 * state of the caller, changing the called run by itself.
 */
import { abandonCall, findCall, leaveNode, toCallerStop } from './call-workflow.ts';
import type { WayPast } from './called-run.ts';
import type { LiveRun } from './live-run.ts';

/** Leaves the node of the innermost call, or of the one that is named. */
export async function passCall(run: LiveRun, way: WayPast): Promise<void> {
  run.resetForRun();
  const called = run.child?.engine;
  const isOwn = called?.calledId === undefined || run.memory.call?.nodeId === way.nodeId;
  await (called && !isOwn ? called.leaveCall(way) : leaveNode(run, way.to));
}

/** A person's edit may have taken the run away from the node of a call. */
export async function settleCall(run: LiveRun): Promise<void> {
  run.resetForRun();
  const position = await run.position();
  const call = await findCall(run, position);
  if (!call && run.child) await abandonCall(run);
}

/** The called run was changed by itself: its caller rests where it rests. */
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
