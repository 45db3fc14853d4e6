/**
 * The loop of a run or a thread: executes open calls, announces the position, sends a request, and repeats until a person is
 * needed or the workflow is complete. Independent of screens, disks and providers.
 */
import type { Intent } from '../prompt/prompt-blocks.ts';
import { CUT_OFF_NOTE, NO_PROGRESS_NOTE, RESET_NOTE } from '../prompt/runtime-notes.ts';
import { createArtifactsFolder } from './artifacts-folder.ts';
import { findCall, runCall } from './calls/call-workflow.ts';
import {
  announceMovedFiles,
  announcePartialReply,
  announcePosition,
  promptModeFor,
} from './context/announce-position.ts';
import { findLimit } from './limits.ts';
import type { LiveRun } from './live-run.ts';
import { loopVerdict } from './loop-detector.ts';
import { beginVisit, findProofStop } from './proof/begin-visit.ts';
import type { RunPosition } from './run-position.ts';
import { STOPPED, type StopPoint, stopAfterFailure, stopAfterReply, waiting } from './stop-point.ts';
import { endOpenCalls, toolRound } from './tool-round.ts';
import { takeTurn } from './turn.ts';

export interface LoopStart {
  /** The reason for the first message to the model; undefined if a waiting call is answered. */
  readonly intent?: Intent | undefined;
  /** The stop of the called run, if it is already processing a command of a person. */
  readonly calledStop?: Promise<StopPoint> | undefined;
}

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
  let isClosing = false;
  let isCutReported = false;
  let isReset = false;

  for (;;) {
    if (memory.history.openCalls.length > 0) {
      const round = await toolRound(run, signal);
      if (round.kind === 'suspended') {
        if (!isClosing) return round.stop;
        // The workflow is complete; calls in the closing reply do not delay it.
        endOpenCalls(run);
        return stopAfterReply(true);
      }
      if (signal.aborted) return stopped(await run.position());
      const unproved = findProofStop(memory);
      if (unproved) return unproved;
      const verdict = loopVerdict(memory.loop);
      if (verdict === 'nudge') nudge(run, NO_PROGRESS_NOTE);
      if (verdict === 'stop') return LOOPING;
    }
    if (signal.aborted) return stopped(await run.position());

    const position = await run.position();
    const missing = await beginVisit(run, position);
    if (missing) return missing;
    const call = await findCall(run, position);
    if (call) {
      const stop = await runCall(run, call, { intent: due, calledStop: pendingStop, signal });
      pendingStop = undefined;
      if (stop) return stop;
      continue;
    }
    if (position.isComplete && !wasComplete && inputs.length === 0) {
      // A returned call may have completed the workflow: its model then has nothing to close.
      if (isClosing || !hasUnansweredMessage(run)) return stopAfterReply(true);
      isClosing = true;
    } else if (position.isComplete && inputs.length === 0 && due !== undefined) {
      return stopAfterReply(true);
    } else {
      isClosing = false;
      await announcePosition(run, position, due);
      if (!hasUnansweredMessage(run)) return stopAfterReply(position.isComplete);
    }
    due = undefined;

    const limit = findLimit(run);
    if (limit) return isClosing ? stopAfterReply(true) : limit;

    const nodeId = isClosing || !position.isComplete ? position.nodeId : undefined;
    const agentId = run.agentOf(nodeId);
    const mode = promptModeFor(position, { isClosing, agentId });
    announcePartialReply(run);
    announceMovedFiles(run);
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
        return isClosing ? stopAfterReply(true) : waiting('CONTEXT_STILL_TOO_LARGE', turn.message);
      case 'failed':
        run.emit({ type: 'error', code: turn.error.code, message: turn.error.message });
        return isClosing ? stopAfterReply(true) : stopAfterFailure(turn.error);
      case 'reply':
        if (turn.calls.length > 0 || inputs.length > 0) continue;
        if (turn.finishReason === 'length' && !isCutReported && !isClosing) {
          isCutReported = true;
          nudge(run, CUT_OFF_NOTE);
          continue;
        }
        return stopAfterReply((await run.position()).isComplete);
    }
  }
}

/** Whether there is a message the model has not answered. A resumed thread may have none. */
function hasUnansweredMessage({ memory }: LiveRun): boolean {
  const last = memory.history.messages.at(-1);
  return last !== undefined && last.role !== 'assistant';
}

function nudge(run: LiveRun, content: string): void {
  const { nodeId } = run.memory.history;
  const nodeField = nodeId === undefined ? {} : { nodeId };
  run.emit({ type: 'message.completed', role: 'user', purpose: 'nudge', ...nodeField, content });
}

/** A stop after completion does not change the phase. */
function stopped({ isComplete }: RunPosition): StopPoint {
  return isComplete ? stopAfterReply(true) : STOPPED;
}

const LOOPING = waiting(
  'ENGINE_LOOP_DETECTED',
  'The model repeats the same call without progress; say how to continue, or resume to let it try again.',
);
