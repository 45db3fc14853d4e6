/**
 * The loop of a run or a thread: executes open calls, announces the position, sends a request, and repeats until a person is
 * needed or the workflow is complete. Independent of screens, disks and providers.
 */
import { NO_PROGRESS_NOTE, RESET_NOTE } from '../prompt/runtime-notes.ts';
import { createArtifactsFolder } from './artifacts-folder.ts';
import { findCall, runCall } from './calls/call-workflow.ts';
import { carryOver } from './carry-over.ts';
import {
  announceHookMessages,
  announceMovedFiles,
  announcePartialReply,
  announcePosition,
  nudge,
  promptModeFor,
} from './context/announce-position.ts';
import { findLimit } from './limits.ts';
import type { LiveRun } from './live-run.ts';
import { loopVerdict } from './loop-detector.ts';
import { beginVisit, findProofStop } from './proof/begin-visit.ts';
import { findMissingCall, hasShownMenu, judgeReply } from './reply-without-call.ts';
import type { RunPosition } from './run-position.ts';
import {
  type LoopStart,
  STOPPED,
  type StopPoint,
  stopAfterFailure,
  stopAfterReply,
  waiting,
} from './stop-point.ts';
import { endOpenCalls, toolRound } from './tool-round.ts';
import { takeTurn } from './turn.ts';

export async function runLoop(
  run: LiveRun,
  { intent, calledStop }: LoopStart,
  signal: AbortSignal,
): Promise<StopPoint> {
  const { memory } = run;
  const { inputs } = memory;
  if (intent !== undefined || memory.turn === 0) await createArtifactsFolder(run);
  const wasComplete = (await run.position()).isComplete;
  let due = intent;
  let pendingStop = calledStop;
  let isNudged = false;
  let isReset = false;

  for (;;) {
    if (memory.history.openCalls.length > 0) {
      const suspended = await toolRound(run, signal);
      if (suspended) return suspended;
      if (signal.aborted) return stopped(await run.position());
      const unproved = findProofStop(memory);
      if (unproved) return unproved;
      const verdict = loopVerdict(memory.loop);
      if (verdict === 'nudge') nudge(run, NO_PROGRESS_NOTE);
      if (verdict === 'stop') return LOOPING;
      if (inputs.length === 0 && (await hasShownMenu(run, await run.position())))
        return stopAfterReply(false);
    }
    if (signal.aborted) return stopped(await run.position());

    const position = await run.position();
    if (await carryOver(run, position)) continue;
    const missing = await beginVisit(run, position);
    if (missing) return missing;
    const call = await findCall(run, position);
    if (call) {
      const stop = await runCall(run, call, { intent: due, calledStop: pendingStop }, signal);
      pendingStop = undefined;
      if (stop) return stop;
      continue;
    }
    if (position.isComplete && inputs.length === 0) {
      // A returned call may have completed the workflow: its model then has nothing to close.
      if (!wasComplete && hasUnansweredMessage(run)) await takeClosingTurn(run, position, signal);
      if (inputs.length === 0 && (!wasComplete || due !== undefined)) return stopAfterReply(true);
    }
    const isIdleResume = due === 'resume' && inputs.length === 0;
    const reminder = isIdleResume ? await findMissingCall(run, position) : undefined;
    await announcePosition(run, position, due);
    if (reminder !== undefined) {
      isNudged = true;
      nudge(run, reminder);
    }
    if (!hasUnansweredMessage(run)) return stopAfterReply(position.isComplete);
    due = undefined;

    const limit = await findLimit(run);
    if (limit) return limit;

    const agentId = run.agentOf(position.isComplete ? undefined : position.nodeId);
    const mode = promptModeFor(position, { isClosing: false, agentId });
    announcePartialReply(run);
    announceMovedFiles(run);
    announceHookMessages(run);
    await run.saveInput();
    const turn = await takeTurn(run, { agentId, mode, mayRestart: !isReset }, signal);
    switch (turn.kind) {
      case 'aborted':
        return stopped(position);
      case 'reset':
        if (isReset) throw new Error('a history that was just reset cannot be sent');
        isReset = true;
        due = 'resume';
        if (!position.at) nudge(run, RESET_NOTE);
        continue;
      case 'too-large':
        return waiting('CONTEXT_STILL_TOO_LARGE', turn.message);
      case 'failed':
        run.emit({ type: 'error', code: turn.error.code, message: turn.error.message });
        return stopAfterFailure(turn.error);
      case 'empty':
      case 'reply': {
        const hasCalls = turn.kind === 'reply' && turn.calls.length > 0;
        isNudged &&= !hasCalls;
        if (hasCalls || inputs.length > 0) continue;
        const verdict = await judgeReply(run, position, turn, isNudged);
        if (verdict.kind === 'stop') return verdict.stop;
        isNudged = true;
        nudge(run, verdict.note);
      }
    }
  }
}

/** Whether there is a message the model has not answered. A resumed thread may have none. */
function hasUnansweredMessage({ memory }: LiveRun): boolean {
  const last = memory.history.messages.at(-1);
  return last !== undefined && last.role !== 'assistant';
}

/** A stop after completion does not change the phase. */
function stopped({ isComplete }: RunPosition): StopPoint {
  return isComplete ? stopAfterReply(true) : STOPPED;
}

const LOOPING = waiting(
  'ENGINE_LOOP_DETECTED',
  'The model repeats the same call without progress; say how to continue, or resume to let it try again.',
);

/**
 * After the last node the model tells the person what was made. Nothing that happens in this turn reverts the completion, delays it
 * or is tried again.
 */
async function takeClosingTurn(run: LiveRun, position: RunPosition, signal: AbortSignal): Promise<void> {
  // A host tells the person in its own conversation.
  if (run.sources.adapter.traits.isHost || (await findLimit(run))) return;
  const agentId = run.agentOf(position.nodeId);
  const mode = promptModeFor(position, { isClosing: true, agentId });
  announceMovedFiles(run);
  await run.saveInput();
  const turn = await takeTurn(run, { agentId, mode, mayRestart: false }, signal);
  if (turn.kind === 'failed') {
    run.emit({ type: 'error', code: turn.error.code, message: turn.error.message });
  } else if (turn.kind === 'reply' && turn.calls.length > 0) {
    if (await toolRound(run, signal)) endOpenCalls(run);
  }
}
