/**
 * ExecutionEngine: accepts a person's commands for one run or thread and runs its loop until it is idle. Every pass ends at a
 * stop point: errors of a run become its phase here.
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
import { followCall, leaveCallNode, settleCall } from './call-commands.ts';
import { reopenCall } from './call-workflow.ts';
import type { CalledEngine, WayPast } from './called-run.ts';
import { type EditedState, editState } from './edit-state.ts';
import type { EngineSources } from './engine-sources.ts';
import { warnOfUnenforceableLimit } from './limits.ts';
import { type LiveRun, noteOutsideChanges, openLiveRun } from './live-run.ts';
import { type Rewind, rewind } from './rewind.ts';
import { runLoop } from './run-loop.ts';
import { isUnanswered, type PendingCall, type RunMemory } from './run-memory.ts';
import { type StopPoint, waiting } from './stop-point.ts';
import { abandonOpenCalls, endOpenCalls, saveStandingApproval } from './tool-round.ts';

export interface ExecutionEngine extends CalledEngine {
  /** State of the run; read-only. */
  readonly memory: RunMemory;
  readonly isRunning: boolean;
  /** The call of this run, or of a sub-workflow that it called, that waits for a person. */
  readonly pending: PendingCall | undefined;
  /** Context size of the model. */
  readonly contextTokens: number;
  subscribe(listener: (event: RunEvent) => void): () => void;
  /** These resolve when the run stops. A command that is not possible now throws immediately (RUN_NOT_READY). */
  start(): Promise<StopPoint>;
  resume(): Promise<StopPoint>;
  /** A message of the person. While the run is running, it is queued for the next turn. */
  say(text: string): Promise<StopPoint>;
  /** Withdraws the message that was queued with this event; rejected after it was sent to the model. */
  withdraw(inputSeq: number): void;
  /** Continues with queued or interrupted work, without a message. */
  continueRun(): Promise<StopPoint>;
  /** Ends calls that wait for a person, who turned to something else. */
  abandon(): void;
  /** Allows one change of the state of a complete workflow; for a button or a command, never for a message. */
  allowStateChange(): Promise<void>;
  answer(answers: Answers): Promise<StopPoint>;
  approve(response: ApprovalResponse): Promise<StopPoint>;
  /** A person's change of the state document; rejected during a turn, and by the gate. */
  editState(text: string, ifMatchSha256: string): Promise<EditedState>;
  /** Resets the run to a node that it has visited; rejected during a turn. A resume then repeats the node. */
  rewind(request: Rewind): Promise<StopPoint>;
  /** Opens the run of the current call, so that its pending question or approval is known; no-op without a call. */
  openCall(): Promise<void>;
  /** Continues without the called workflow. */
  skipCall(way: WayPast): Promise<StopPoint>;
  /** Stops the current pass within a second. */
  stop(): Promise<StopPoint>;
  /** When this resolves, input of the person survives a power loss; await it before reporting the input as accepted. */
  saveInput(): Promise<void>;
  /** For facts that do not come from the loop: that the run was created, that changes were undone. */
  emit(fact: RunFact): RunEvent;
  /** Stops, and closes the log. */
  close(): Promise<void>;
}

export async function openExecutionEngine(sources: EngineSources): Promise<ExecutionEngine> {
  const run = await openLiveRun(sources);
  const { memory } = run;
  let stopper = new AbortController();
  let running: Promise<StopPoint> | undefined;
  let started: Promise<void> | undefined;

  const runUntilIdle = (start: RunStart = {}): Promise<StopPoint> => {
    stopper = new AbortController();
    let onStarted = (): void => undefined;
    started = new Promise((resolve) => {
      onStarted = resolve;
    });
    running = runOnce(run, { ...start, onStarted: () => onStarted() }, stopper.signal).finally(() => {
      onStarted();
      running = undefined;
    });
    return running;
  };
  /** Input that arrived too late for the current pass gets another one. */
  const sayAfter = async (current: Promise<StopPoint>, { signal }: AbortController): Promise<StopPoint> => {
    const stop = await current;
    if (signal.aborted || isUnanswered(memory.pending)) return stop;
    return running ?? (memory.inputs.length > 0 ? runUntilIdle() : stop);
  };
  const idleStop = (): StopPoint =>
    memory.phase === 'Running'
      ? waiting('interrupted', 'The run was interrupted.')
      : { phase: memory.phase, ...(memory.reason ? { reason: memory.reason } : {}) };

  const submitAnswers = (
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
      rejectIf(running !== undefined, 'it is running already');
      return runUntilIdle({ intent: 'start' });
    },
    resume() {
      rejectIf(running !== undefined, 'it is running already');
      return runUntilIdle({ intent: 'resume' });
    },
    say(text) {
      const called = run.child?.engine;
      if (called && (!running || called.isRunning)) {
        const calledStop = called.say(text);
        if (!running) return runUntilIdle({ calledStop });
        calledStop.catch((error: unknown) => sources.onBug('a called run', error));
        return sayAfter(running, stopper);
      }
      const waitingCall = isUnanswered(memory.pending) ? memory.pending : undefined;
      rejectIf(waitingCall?.kind === 'approval', 'it waits for an approval; approve or deny it first');
      if (waitingCall?.kind === 'question' && !running) {
        const answers = parseAnswers(waitingCall.questions, text);
        return submitAnswers(
          waitingCall.callId,
          waitingCall.questions.filter(({ id }) => Object.hasOwn(answers, id)),
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
      rejectIf(!isQueued, 'the model has this message already');
      run.emit({ type: 'input.withdrawn', inputSeq });
    },
    continueRun: () => running ?? runUntilIdle(),
    abandon() {
      rejectIf(running !== undefined, 'it is running');
      endOpenCalls(run, 'The person turned to something else before this call was made.');
    },
    async allowStateChange() {
      rejectIf(running !== undefined, 'it is running');
      const isComplete = run.gate !== undefined && (await run.position()).isComplete;
      rejectIf(!isComplete, 'its state can be changed by consent only after it is complete');
      if (memory.consent === 'given') return;
      run.emit({ type: 'consent.given' });
      await run.saveInput();
    },
    answer(answers) {
      if (run.child && !running) return runUntilIdle({ calledStop: run.child.engine.answer(answers) });
      const { pending } = memory;
      if (running || !isUnanswered(pending) || pending.kind !== 'question')
        throw notReady('it has not asked anything');
      return submitAnswers(pending.callId, pending.questions, answers);
    },
    approve(response) {
      if (run.child && !running) return runUntilIdle({ calledStop: run.child.engine.approve(response) });
      const { pending } = memory;
      if (running || !isUnanswered(pending) || pending.kind !== 'approval')
        throw notReady('nothing waits for an approval');
      const resolved = resolveApproval(run, pending, response);
      return runUntilIdle({ prepare: () => saveStandingApproval(run, pending, resolved) });
    },
    async editState(text, ifMatchSha256) {
      rejectIf(running !== undefined, 'a turn is in progress; stop it first');
      const edited = await editState(run, text, ifMatchSha256);
      await settleCall(run);
      return edited;
    },
    async rewind(request) {
      rejectIf(running !== undefined, 'a turn is in progress; stop it first');
      return rewind(run, request);
    },
    get calledId() {
      return run.child?.childId;
    },
    openCall: () => reopenCall(run),
    async leaveCall(way) {
      rejectIf(running !== undefined, 'a turn is in progress; stop it first');
      await leaveCallNode(run, way);
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
      return running ?? Promise.resolve(idleStop());
    },
    async saveInput() {
      await run.saveInput();
      await run.child?.engine.saveInput();
      // Also wait until the record says Running.
      await started;
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

/** Emits the decision with its effective reach. */
function resolveApproval(
  run: LiveRun,
  { callId, tool, action, following = [] }: Extract<PendingCall, { kind: 'approval' }>,
  { decision, note, reach: requested = 'file', following: decisions = [] }: ApprovalResponse,
): ApprovalResponse {
  const decided = decisions.map((one) => ({
    ...one,
    change: following.find((other) => other.callId === one.callId),
  }));
  rejectIf(
    decided.some(({ change }) => !change),
    'a change that was not shown cannot be decided on',
  );
  const noted = note === undefined ? {} : { note };
  // First, so that they are recorded when the run continues.
  for (const { change, decision: ahead } of decided)
    if (change)
      run.emit({
        type: 'approval.resolved',
        callId: change.callId,
        tool: change.tool,
        path: change.action.target,
        decision: ahead,
        ...noted,
      });
  const reach = isFileAction(action) ? requested : 'file';
  const isForLonger = decision !== 'once' && decision !== 'no';
  run.emit({
    type: 'approval.resolved',
    callId,
    tool,
    path: action.target,
    decision,
    ...(isForLonger ? { reach } : {}),
    ...noted,
  });
  return { decision, reach };
}

function rejectIf(condition: boolean, why: string): void {
  if (condition) throw notReady(why);
}

function notReady(why: string): CrewError {
  return new CrewError('RUN_NOT_READY', `The run cannot do that now: ${why}.`);
}

interface RunStart {
  /** The reason for the first message to the model. */
  readonly intent?: Intent;
  /** The stop of the called run, if it is already processing a command of a person. */
  readonly calledStop?: Promise<StopPoint>;
  prepare?(): Promise<void>;
}

async function runOnce(
  run: LiveRun,
  { intent, calledStop, prepare, onStarted }: RunStart & { onStarted(): void },
  signal: AbortSignal,
): Promise<StopPoint> {
  const { memory, sources } = run;
  const begin = async (): Promise<StopPoint> => {
    run.resetForRun();
    if (intent === 'resume') {
      run.emit({ type: 'run.resumed', nodeId: memory.state.currentNodeId });
    }
    if (memory.phase !== 'Running') run.emit({ type: 'phase.changed', phase: 'Running' });
    // Saved before the input: an answer on disk must never belong to a run whose record still says that it is waiting for it.
    await sources.savePhase('Running', undefined);
    await run.saveInput();
    onStarted();
    await prepare?.();
    warnOfUnenforceableLimit(run);
    abandonOpenCalls(run);
    await noteOutsideChanges(run);
    return runLoop(run, { intent, calledStop }, signal);
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
    // The phase could not be saved. The record still says Running, so the next start finds the run interrupted.
    if (!(error instanceof CrewError)) throw error;
    return waiting(error.code, error.message);
  }
  return stop;
}

/** `Failed` is for errors that a resume cannot fix. */
function toStopPoint(run: LiveRun, error: unknown): StopPoint {
  if (error instanceof CrewError) {
    const { code, message } = error;
    emitError(run, code, message);
    const isFinal = code === 'STATE_DAMAGED' || code === 'PACKAGE_NOT_FOUND';
    return isFinal ? { phase: 'Failed', reason: { code, message } } : waiting(code, message);
  }
  const sentence = errnoSentence(error);
  if (sentence !== undefined) {
    const message = `A file of the run could not be read or written: ${sentence}.`;
    emitError(run, 'DISK', message);
    return waiting('DISK', message);
  }
  const id = randomUUID().slice(0, 8);
  run.sources.onBug(id, error);
  const message = `The runtime itself failed (${id}); nothing is lost, and the run can be resumed.`;
  emitError(run, 'E_INTERNAL', message);
  return waiting('E_INTERNAL', message);
}

function emitError(run: LiveRun, code: string, message: string): void {
  try {
    run.emit({ type: 'error', code, message });
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
  }
}
