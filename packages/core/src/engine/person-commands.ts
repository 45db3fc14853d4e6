/**
 * What a person says to a run: messages, answers, approvals, consent. Input for a called run goes to its engine, and the caller
 * then takes over the stop of that run.
 */

import { type Answers, findAnswerIssue, forAllOf, parseAnswers } from '@crewagent/protocol/answers';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import { isFileAction } from '@crewagent/protocol/described-actions';
import type { Speaker } from '@crewagent/protocol/proof';
import type { DescribedAction, Question } from '@crewagent/protocol/tools';
import { CrewError } from '../base/crew-error.ts';
import { sha256Of } from '../base/sha256.ts';
import type { CalledEngine } from './calls/called-run.ts';
import { mentionedPictures, toPictureInput } from './context/pictures.ts';
import type { LiveRun } from './live-run.ts';
import { waiveChecks } from './proof/waive.ts';
import { isUnanswered, type PendingCall } from './run-memory.ts';
import { notReady, type RunPasses, rejectIf } from './run-passes.ts';
import type { StopPoint } from './stop-point.ts';
import { endOpenCalls, saveStandingApproval } from './tool-round.ts';

export interface PersonCommands
  extends Pick<CalledEngine, 'say' | 'answer' | 'approve' | 'withdraw' | 'waive'> {
  /** Ends calls that wait for a person, who turned to something else. */
  abandon(): void;
  /** Allows one change of the state of a complete workflow; for a button or a command, never for a message. */
  allowStateChange(): Promise<void>;
}

export function createPersonCommands(run: LiveRun, passes: RunPasses): PersonCommands {
  const { memory } = run;
  const submitAnswers = (
    callId: string,
    questions: readonly Question[],
    answers: Answers,
    speaker?: Speaker,
  ): Promise<StopPoint> => {
    const issue = findAnswerIssue(questions, answers);
    if (issue) throw new CrewError('USAGE', issue);
    run.emit({ type: 'question.answered', callId, answers: { ...answers }, speaker });
    queuePictures(run, answers);
    return passes.start();
  };
  return {
    say(text, speaker) {
      const called = run.child?.engine;
      if (called && (!passes.current || called.isRunning)) {
        const calledStop = called.say(text, speaker);
        if (!passes.current) return passes.start({ calledStop });
        calledStop.catch((error: unknown) => run.sources.onBug('a called run', error));
        return passes.afterInput();
      }
      const waitingCall = isUnanswered(memory.pending) ? memory.pending : undefined;
      rejectIf(waitingCall?.kind === 'approval', 'it waits for an approval; approve or deny it first');
      if (waitingCall?.kind === 'question' && !passes.current) {
        const answers = parseAnswers(waitingCall.questions, text);
        const { questions } = waitingCall;
        const asked =
          forAllOf(answers) === undefined
            ? questions.filter(({ id }) => Object.hasOwn(answers, id))
            : questions;
        return submitAnswers(waitingCall.callId, asked, answers, speaker);
      }
      run.emit({ type: 'input.queued', content: text, speaker });
      return passes.current ? passes.afterInput() : passes.start();
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
    abandon() {
      passes.requireIdle('it is running');
      endOpenCalls(run, 'The user turned to something else before this call was made.');
    },
    async allowStateChange() {
      passes.requireIdle('it is running');
      const isComplete = run.gate !== undefined && (await run.position()).isComplete;
      rejectIf(!isComplete, 'its state can be changed by consent only after it is complete');
      if (memory.consent === 'given') return;
      run.emit({ type: 'consent.given' });
      await run.saveInput();
    },
    answer(answers, speaker) {
      if (run.child && !passes.current)
        return passes.start({ calledStop: run.child.engine.answer(answers, speaker) });
      const { pending } = memory;
      if (passes.current || !isUnanswered(pending) || pending.kind !== 'question')
        throw notReady('it has not asked anything');
      return submitAnswers(pending.callId, pending.questions, answers, speaker);
    },
    approve(response) {
      if (run.child && !passes.current)
        return passes.start({ calledStop: run.child.engine.approve(response) });
      const { pending } = memory;
      if (passes.current || !isUnanswered(pending) || pending.kind !== 'approval')
        throw notReady('nothing waits for an approval');
      const resolved = resolveApproval(run, pending, response);
      return passes.start({ prepare: () => saveStandingApproval(run, pending, resolved) });
    },
    async waive(request) {
      passes.requireIdle('a turn is in progress; stop it first');
      if (run.child) return run.child.engine.waive(request);
      rejectIf(isUnanswered(memory.pending), 'it waits for an answer; give that first');
      await waiveChecks(run, request);
      await run.saveInput();
    },
  };
}

function queuePictures(run: LiveRun, answers: Answers): void {
  const paths = Object.values(answers).flatMap((answer) =>
    typeof answer === 'string' ? mentionedPictures(answer) : [],
  );
  const input = toPictureInput("Pictures of the user's answer", paths);
  if (input) run.emit({ type: 'input.queued', ...input });
}

/** Emits the decision with its effective reach. */
function resolveApproval(
  run: LiveRun,
  { callId, tool, action, following = [] }: Extract<PendingCall, { kind: 'approval' }>,
  response: ApprovalResponse,
): ApprovalResponse {
  const {
    decision,
    note,
    unseen,
    reach: requested = 'file',
    following: decisions = [],
    speaker,
    by,
  } = response;
  requireShown(action, response);
  const decided = decisions.map((ahead) => {
    const change = following.find((other) => other.callId === ahead.callId);
    if (!change) throw notReady('a change that was not shown cannot be decided on');
    requireShown(change.action, ahead);
    return { change, ahead };
  });
  // First, so that they are recorded when the run continues.
  for (const { change, ahead } of decided)
    run.emit({
      type: 'approval.resolved',
      callId: change.callId,
      tool: change.tool,
      path: change.action.target,
      decision: ahead.decision,
      note,
      unseen: ahead.unseen,
      by,
    });
  const reach = isFileAction(action) ? requested : 'file';
  const isForLonger = decision !== 'once' && decision !== 'no';
  run.emit({
    type: 'approval.resolved',
    callId,
    tool,
    path: action.target,
    decision,
    reach: isForLonger ? reach : undefined,
    note,
    unseen,
    speaker,
    by,
  });
  return { decision, reach };
}

/** An approval is for the text that the person saw. */
function requireShown(
  { preview }: DescribedAction,
  { decision, shown }: Pick<ApprovalResponse, 'decision' | 'shown'>,
): void {
  if (decision !== 'no' && shown !== undefined && shown !== sha256Of(preview.text))
    throw new CrewError('APPROVAL_OUTDATED', 'This request has changed. Look at it again.');
}
