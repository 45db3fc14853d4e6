/**
 * ExecutionEngine: takes a person's commands for one run or talk and drives its loop, one pump at a time. Every pump ends in a
 * stop point, whatever happens: the door where errors of a run become its phase.
 */
import { randomUUID } from 'node:crypto';
import { type Answers, findAnswerIssue, parseAnswers } from '@crewagent/protocol/answers';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import { isFileAction } from '@crewagent/protocol/described-actions';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { Question } from '@crewagent/protocol/tools';
import { CrewError } from '../base/crew-error.ts';
import { errnoSentence } from '../base/errno.ts';
import type { Intent } from '../prompt/prompt-blocks.ts';
import { followCall, passCall, settleCall } from './call-commands.ts';
import { reopenCall } from './call-workflow.ts';
import type { CalledEngine, WayPast } from './called-run.ts';
import { type EditedState, editState } from './edit-state.ts';
import type { EngineSources } from './engine-sources.ts';
import { warnOfBlindLimit } from './limits.ts';
import { type LiveRun, noteOutsideChanges, openLiveRun } from './live-run.ts';
import { type Rewind, rewind } from './rewind.ts';
import { runLoop } from './run-loop.ts';
import { isUnanswered, type PendingCall, type RunMemory } from './run-memory.ts';
import { type StopPoint, waiting } from './stop-point.ts';
import { abandonOpenCalls, endOpenCalls, keepStandingApproval } from './tool-round.ts';

export interface ExecutionEngine extends CalledEngine {
  /** What is known of the run; to be looked at only. */
  readonly memory: RunMemory;
  readonly isRunning: boolean;
  /** What it, or a sub-workflow that it called, waits for a person to say. */
  readonly pending: PendingCall | undefined;
  /** How much the model takes at once. */
  readonly contextTokens: number;
  subscribe(listener: (event: RunEvent) => void): () => void;
  /** Each resolves where the run comes to rest. Commands that do not fit the moment are refused at once (RUN_NOT_READY). */
  start(): Promise<StopPoint>;
  resume(): Promise<StopPoint>;
  /** A person's words. While the run goes on they are queued for its next turn. */
  say(text: string): Promise<StopPoint>;
  /** Withdraws the message that was queued with this event; rejected after it was sent to the model. */
  withdraw(inputSeq: number): void;
  /** Goes on with what was queued or was cut off, without a word. */
  continueRun(): Promise<StopPoint>;
  /** Calls that wait for a person are answered by nobody: they turned to something else. */
  abandon(): void;
  /** One change of the state of a workflow that is complete; for a button or a command, never for words. */
  allowStateChange(): Promise<void>;
  answer(answers: Answers): Promise<StopPoint>;
  approve(response: ApprovalResponse): Promise<StopPoint>;
  /** A person's own change of the state document; refused while a turn is under way, and by the gate. */
  editState(text: string, ifMatchSha256: string): Promise<EditedState>;
  /** Back to a node where the run was; refused while a turn is under way. A resume then does it again. */
  rewind(request: Rewind): Promise<StopPoint>;
  /** Opens the sub-workflow that is called, so that what it waits for is known; nothing where none is. */
  openCall(): Promise<void>;
  /** Goes on without the workflow that is called. */
  skipCall(way: WayPast): Promise<StopPoint>;
  /** Ends the pump that goes on, within a second. */
  stop(): Promise<StopPoint>;
  /** What a person said so far survives a power loss when this resolves; to be awaited before it is reported as accepted. */
  saveInput(): Promise<void>;
  /** For facts about the run that are not the loop's: that it was created, that changes were undone. */
  emit(fact: RunFact): RunEvent;
  /** Stops, and lets go of the log. */
  close(): Promise<void>;
}

export async function openExecutionEngine(sources: EngineSources): Promise<ExecutionEngine> {
  const run = await openLiveRun(sources);
  const { memory } = run;
  let stopper = new AbortController();
  let running: Promise<StopPoint> | undefined;
  let beginning: Promise<void> | undefined;

  const runUntilIdle = (start: RunStart = {}): Promise<StopPoint> => {
    stopper = new AbortController();
    let onBegun = (): void => undefined;
    beginning = new Promise((resolve) => {
      onBegun = resolve;
    });
    running = runOnce(run, { ...start, onBegun: () => onBegun() }, stopper.signal).finally(() => {
      onBegun();
      running = undefined;
    });
    return running;
  };
  /** Words that came too late for a pump that was about to end get one of their own. */
  const sayAfter = async (current: Promise<StopPoint>, { signal }: AbortController): Promise<StopPoint> => {
    const stop = await current;
    if (signal.aborted || isUnanswered(memory.pending)) return stop;
    return running ?? (memory.inputs.length > 0 ? runUntilIdle() : stop);
  };
  const resting = (): StopPoint =>
    memory.phase === 'Running'
      ? waiting('interrupted', 'The run was interrupted.')
      : { phase: memory.phase, ...(memory.reason ? { reason: memory.reason } : {}) };

  const takeAnswers = (
    callId: string,
    questions: readonly Question[],
    answers: Answers,
  ): Promise<StopPoint> => {
    const issue = findAnswerIssue(questions, answers);
    if (issue) throw new CrewError('USAGE', issue);
    run.emit({ type: 'question.answered', callId, answers: { ...answers } });
    return runUntilIdle();
  };

  const engine: ExecutionEngine = {
    memory,
    contextTokens: sources.adapter.traits.contextTokens,
    get isRunning() {
      return running !== undefined;
    },
    get pending() {
      if (run.child) return run.child.engine.pending;
      return isUnanswered(memory.pending) ? memory.pending : undefined;
    },
    subscribe: (listener) => run.subscribe(listener),
    start() {
      refuseWhile(running !== undefined, 'it is running already');
      return runUntilIdle({ intent: 'start' });
    },
    resume() {
      refuseWhile(running !== undefined, 'it is running already');
      return runUntilIdle({ intent: 'resume' });
    },
    say(text) {
      const called = run.child?.engine;
      if (called && (!running || called.isRunning)) {
        const given = called.say(text);
        if (!running) return runUntilIdle({ given });
        given.catch((error: unknown) => sources.onBug('a called run', error));
        return sayAfter(running, stopper);
      }
      const waitsFor = isUnanswered(memory.pending) ? memory.pending : undefined;
      refuseWhile(waitsFor?.kind === 'approval', 'it waits for an approval; approve or refuse that first');
      if (waitsFor?.kind === 'question' && !running) {
        const answers = parseAnswers(waitsFor.questions, text);
        return takeAnswers(
          waitsFor.callId,
          waitsFor.questions.filter(({ id }) => Object.hasOwn(answers, id)),
          answers,
        );
      }
      run.emit({ type: 'input.queued', content: text });
      return running ? sayAfter(running, stopper) : runUntilIdle();
    },
    withdraw(inputSeq) {
      const isQueued = memory.inputs.some(({ seq, purpose }) => seq === inputSeq && purpose === undefined);
      if (!isQueued && run.child) {
        run.child.engine.withdraw(inputSeq);
        return;
      }
      refuseWhile(!isQueued, 'the model has this message already');
      run.emit({ type: 'input.withdrawn', inputSeq });
    },
    continueRun: () => running ?? runUntilIdle(),
    abandon() {
      refuseWhile(running !== undefined, 'it is running');
      endOpenCalls(run, 'The person turned to something else before this call was made.');
    },
    async allowStateChange() {
      refuseWhile(running !== undefined, 'it is running');
      const isComplete = run.gate !== undefined && (await run.position()).isComplete;
      refuseWhile(!isComplete, 'its state can be changed by consent only after it is complete');
      if (memory.consent === 'given') return;
      run.emit({ type: 'consent.given' });
      await run.saveInput();
    },
    answer(answers) {
      if (run.child && !running) return runUntilIdle({ given: run.child.engine.answer(answers) });
      const { pending } = memory;
      if (running || !isUnanswered(pending) || pending.kind !== 'question')
        throw notReady('it has not asked anything');
      return takeAnswers(pending.callId, pending.questions, answers);
    },
    approve(response) {
      if (run.child && !running) return runUntilIdle({ given: run.child.engine.approve(response) });
      const { pending } = memory;
      if (running || !isUnanswered(pending) || pending.kind !== 'approval')
        throw notReady('nothing waits for an approval');
      const resolved = resolveApproval(run, pending, response);
      return runUntilIdle({ prepare: () => keepStandingApproval(run, pending, resolved) });
    },
    async editState(text, ifMatchSha256) {
      refuseWhile(running !== undefined, 'a turn is under way; stop it first');
      const edited = await editState(run, text, ifMatchSha256);
      await settleCall(run);
      return edited;
    },
    async rewind(request) {
      refuseWhile(running !== undefined, 'a turn is under way; stop it first');
      return rewind(run, request);
    },
    get calledId() {
      return run.child?.childId;
    },
    openCall: () => reopenCall(run),
    async leaveCall(way) {
      refuseWhile(running !== undefined, 'a turn is under way; stop it first');
      await passCall(run, way);
    },
    async skipCall(way) {
      await engine.leaveCall(way);
      return runUntilIdle({ intent: 'resume' });
    },
    async followCall() {
      if (!running) await followCall(run);
    },
    stop() {
      stopper.abort();
      return running ?? Promise.resolve(resting());
    },
    async saveInput() {
      await run.saveInput();
      await run.child?.engine.saveInput();
      // The record already says Running.
      await beginning;
    },
    emit: (fact) => run.emit(fact),
    async close() {
      try {
        await engine.stop();
      } finally {
        try {
          await run.closeChild();
        } finally {
          await run.log.close();
        }
      }
    },
  };
  return engine;
}

/** What the person decided, with the reach that it has. */
function resolveApproval(
  run: LiveRun,
  { callId, tool, action }: Extract<PendingCall, { kind: 'approval' }>,
  { decision, note, reach: asked = 'file' }: ApprovalResponse,
): ApprovalResponse {
  const reach = isFileAction(action) ? asked : 'file';
  const isForLonger = decision !== 'once' && decision !== 'no';
  run.emit({
    type: 'approval.resolved',
    callId,
    tool,
    path: action.target,
    decision,
    ...(isForLonger ? { reach } : {}),
    ...(note === undefined ? {} : { note }),
  });
  return { decision, reach };
}

function refuseWhile(condition: boolean, why: string): void {
  if (condition) throw notReady(why);
}

function notReady(why: string): CrewError {
  return new CrewError('RUN_NOT_READY', `The run cannot do that now: ${why}.`);
}

interface RunStart {
  /** What the model is told first. */
  readonly intent?: Intent;
  /** What was said to the sub-workflow that is called. */
  readonly given?: Promise<StopPoint>;
  prepare?(): Promise<void>;
}

async function runOnce(
  run: LiveRun,
  { intent, given, prepare, onBegun }: RunStart & { onBegun(): void },
  signal: AbortSignal,
): Promise<StopPoint> {
  const { memory, sources } = run;
  const begin = async (): Promise<StopPoint> => {
    run.resetForRun();
    if (intent === 'resume') {
      run.emit({ type: 'run.resumed', nodeId: memory.state.currentNodeId });
    }
    if (memory.phase !== 'Running') run.emit({ type: 'phase.changed', phase: 'Running' });
    // Before what a person said is: an answer that is on the disk never belongs to a run that still says that it asks.
    await sources.savePhase('Running', undefined);
    await run.saveInput();
    onBegun();
    await prepare?.();
    warnOfBlindLimit(run);
    abandonOpenCalls(run);
    await noteOutsideChanges(run);
    return runLoop(run, { intent, given }, signal);
  };
  let stop: StopPoint;
  try {
    stop = await begin();
  } catch (error) {
    await run.child?.engine.stop();
    stop = toStopPoint(run, error);
  }
  stop = run.keys.hide(stop);
  try {
    run.emit({ type: 'phase.changed', ...stop });
    await run.log.sync();
    await sources.savePhase(stop.phase, stop.reason);
  } catch (error) {
    // The disk refuses even this; what is on it still says Running, and the next start finds the run interrupted.
    if (!(error instanceof CrewError)) throw error;
    return waiting(error.code, error.message);
  }
  return stop;
}

/** `Failed` is for what a resume cannot mend. */
function toStopPoint(run: LiveRun, error: unknown): StopPoint {
  if (error instanceof CrewError) {
    const { code, message } = error;
    tell(run, code, message);
    const isFinal = code === 'STATE_DAMAGED' || code === 'PACKAGE_NOT_FOUND';
    return isFinal ? { phase: 'Failed', reason: { code, message } } : waiting(code, message);
  }
  const sentence = errnoSentence(error);
  if (sentence !== undefined) {
    const message = `A file of the run could not be read or written: ${sentence}.`;
    tell(run, 'DISK', message);
    return waiting('DISK', message);
  }
  const id = randomUUID().slice(0, 8);
  run.sources.onBug(id, error);
  const message = `The runtime itself failed (${id}); nothing is lost, and the run can be resumed.`;
  tell(run, 'E_INTERNAL', message);
  return waiting('E_INTERNAL', message);
}

function tell(run: LiveRun, code: string, message: string): void {
  try {
    run.emit({ type: 'error', code, message });
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
  }
}
