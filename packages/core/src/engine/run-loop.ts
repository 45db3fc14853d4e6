/**
 * The loop of a run or a talk, as a story: answer what was called for, say where we are, ask the model, go on until a person is
 * needed or the workflow is complete. It knows no screen, no disk and no provider.
 */
import type { Intent } from '../prompt/prompt-blocks.ts';
import {
  announcePartialReply,
  announcePosition,
  promptModeFor,
  tellMovedFiles,
} from './announce-position.ts';
import { makeArtifactsFolder } from './artifacts-folder.ts';
import { findCall, runCall } from './call-workflow.ts';
import { findLimit } from './limits.ts';
import type { LiveRun, RunPosition } from './live-run.ts';
import { STOPPED, type StopPoint, stopAfterFailure, stopAfterReply, waiting } from './stop-point.ts';
import { endOpenCalls, toolRound } from './tool-round.ts';
import { takeTurn } from './turn.ts';

export interface LoopStart {
  /** The first message to the model; none if a waiting call is answered. */
  readonly intent?: Intent | undefined;
  /** What a person said to the sub-workflow that is called. */
  readonly given?: Promise<StopPoint> | undefined;
}

export async function runLoop(
  run: LiveRun,
  { intent, given }: LoopStart,
  signal: AbortSignal,
): Promise<StopPoint> {
  const { memory, detector } = run;
  const { inputs } = memory;
  if (intent !== undefined || memory.turn === 0) await makeArtifactsFolder(run);
  const wasComplete = (await run.position()).isComplete;
  let due = intent;
  let said = given;
  let isClosing = false;
  let isCutReported = false;
  let isReset = false;

  for (;;) {
    if (memory.history.openCalls.length > 0) {
      const round = await toolRound(run, signal);
      if (round.kind === 'suspended') {
        if (!isClosing) return round.stop;
        // The work is done; what the last words would still ask for does not hold it up.
        endOpenCalls(run);
        return stopAfterReply(true);
      }
      if (signal.aborted) return stopped(await run.position());
      if (round.verdict === 'nudge') nudge(run, NO_PROGRESS);
      if (round.verdict === 'stop') return LOOPING;
    }
    if (signal.aborted) return stopped(await run.position());

    const position = await run.position();
    const call = await findCall(run, position);
    if (call) {
      const stop = await runCall(run, call, { intent: due, given: said, signal });
      said = undefined;
      if (stop) return stop;
      continue;
    }
    if (position.isComplete && !wasComplete && inputs.length === 0) {
      // A call that returned may have ended the workflow: there is nothing that its model could close.
      if (isClosing || !hasNews(run)) return stopAfterReply(true);
      isClosing = true;
    } else if (position.isComplete && inputs.length === 0 && due !== undefined) {
      return stopAfterReply(true);
    } else {
      isClosing = false;
      if (await announcePosition(run, position, due)) detector.reset();
      if (!hasNews(run)) return stopAfterReply(position.isComplete);
    }
    due = undefined;

    const limit = findLimit(run);
    if (limit) return isClosing ? stopAfterReply(true) : limit;

    const nodeId = isClosing || !position.isComplete ? position.nodeId : undefined;
    const agentId = run.agentOf(nodeId);
    const mode = promptModeFor(position, { isClosing, agentId });
    announcePartialReply(run);
    tellMovedFiles(run);
    await run.saveInput();
    const turn = await takeTurn(run, { agentId, mode, mayRestart: !isReset }, signal);
    switch (turn.kind) {
      case 'aborted':
        return stopped(position);
      case 'reset':
        if (isReset) throw new Error('a history that was just told anew cannot be sent');
        isReset = true;
        due = 'resume';
        if (!position.at) nudge(run, FORGOTTEN);
        continue;
      case 'no-room':
        return isClosing ? stopAfterReply(true) : waiting('CONTEXT_STILL_TOO_LARGE', turn.message);
      case 'failed':
        run.emit({ type: 'error', code: turn.error.code, message: turn.error.message });
        return isClosing ? stopAfterReply(true) : stopAfterFailure(turn.error);
      case 'reply':
        if (turn.calls.length > 0 || inputs.length > 0) continue;
        if (turn.finishReason === 'length' && !isCutReported && !isClosing) {
          isCutReported = true;
          nudge(run, CUT_OFF);
          continue;
        }
        return stopAfterReply((await run.position()).isComplete);
    }
  }
}

/** Whether there is anything a model could answer. A talk that is resumed may have nothing open. */
function hasNews({ memory }: LiveRun): boolean {
  const last = memory.history.messages.at(-1);
  return last !== undefined && last.role !== 'assistant';
}

function nudge(run: LiveRun, content: string): void {
  const { nodeId } = run.memory.history;
  const nodeField = nodeId === undefined ? {} : { nodeId };
  run.emit({ type: 'message.completed', role: 'user', purpose: 'nudge', ...nodeField, content });
}

/** A stop after the work is done takes nothing back. */
function stopped({ isComplete }: RunPosition): StopPoint {
  return isComplete ? stopAfterReply(true) : STOPPED;
}

const NO_PROGRESS =
  'RUNTIME_NOTE\nYou made the same call with the same result three times. Try another way, or ask the person.';
const CUT_OFF =
  'RUNTIME_NOTE\nYour last reply was cut off at its length limit. Go on where it stopped; write long content in parts.';
const FORGOTTEN =
  'RUNTIME_NOTE\nEarlier messages of this conversation could not be sent again. Ask the person where to go on.';
const LOOPING = waiting(
  'ENGINE_LOOP_DETECTED',
  'The model repeats the same call without getting anywhere; say how to go on, or resume to let it try again.',
);
