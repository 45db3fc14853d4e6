/** `crewagent resume`, `answer`, `approve`, `waive` and `skip`: continue a stopped run. */

import { CrewError, type OpenRun } from '@crewagent/core';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import { WAIT_CHECK } from '@crewagent/protocol/proof';
import { toStatus } from '@crewagent/protocol/status';
import { requireAnswers, toAnswers, toNamedAnswers } from '../ask/accept-input.ts';
import { confirm } from '../ask/prompter.ts';
import type { WorkCommand } from '../ask/work-command.ts';
import { createAttendance } from '../attendance.ts';
import { type DriveRunOptions, driveRun, type ProofOptions } from '../drive/drive-run.ts';
import type { ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { shortId } from '../print/describe-work.ts';
import { describeApproval, hashShown, unseenOf } from '../print/pending.ts';
import { withSignals } from '../signals.ts';
import { isInteractive, print, style } from '../terminal.ts';
import { type ModelOptions, toModelChoice } from './run-options.ts';

export interface ResumeOptions extends ModelOptions, ProofOptions {
  readonly input: readonly string[];
  readonly record?: string;
  readonly json?: true;
  readonly plain?: true;
}

export async function resume(ref: string, options: ResumeOptions & { preview?: true }): Promise<ExitCode> {
  if (options.preview) return (await import('./preview-resume.ts')).preview(ref, options);
  return continueRun(ref, options, (run) => {
    const { memory, pending } = run.engine;
    const isAsked = pending !== undefined || toStatus(memory).kind === 'reply';
    // The pending question is answered directly, without letting the model repeat it.
    const canAnswer = options.input.length > 0 || (isInteractive() && !options.json);
    return isAsked && canAnswer ? undefined : (work) => work.resume();
  });
}

export interface AnswerOptions extends ResumeOptions {
  readonly set: ReadonlyMap<string, string>;
}

export async function answer(
  ref: string,
  parts: readonly string[],
  options: AnswerOptions,
): Promise<ExitCode> {
  const text = parts.length > 0 ? parts.join(' ') : undefined;
  if (text !== undefined && options.set.size > 0)
    throw new CrewError('USAGE', 'Give the answer either as text or with --set, not both.');
  return continueRun(ref, options, (run) => toAnswer(run, text, options));
}

function toAnswer(
  run: OpenRun,
  text: string | undefined,
  { set, json }: AnswerOptions,
): WorkCommand | undefined {
  const { pending, memory } = run.engine;
  if (pending?.kind === 'question') {
    const { questions } = pending;
    if (set.size > 0) {
      const answers = requireAnswers(questions, toNamedAnswers(questions, set));
      return (work) => work.answer(answers);
    }
    if (text !== undefined) {
      const answers = requireAnswers(questions, toAnswers(questions, text));
      return (work) => work.answer(answers);
    }
  }
  if (set.size > 0)
    throw new CrewError(
      'RUN_NOT_READY',
      'The run has no pending question. Give your message as text instead of --set.',
    );
  if (text !== undefined) return (work) => work.input(text);
  if (isInteractive() && !json && toStatus(memory).isWaiting) return undefined;
  throw new CrewError('USAGE', 'The answer is missing. Give it with: crewagent answer RUN "TEXT".');
}

export interface ApproveOptions extends ModelOptions, Pick<ApprovalResponse, 'decision' | 'reach' | 'note'> {
  /** SHA-256 of the preview that was printed. */
  readonly shown?: string;
  /** Approve without having looked. */
  readonly unseen?: true;
  readonly record?: string;
  readonly json?: true;
  readonly plain?: true;
}

export async function approve(ref: string, options: ApproveOptions): Promise<ExitCode> {
  return continueRun(ref, { ...options, input: [] }, (run, signal) => toApproval(run, options, signal));
}

/** An approval is for what was printed: here, where a person then confirms it, or before. */
async function toApproval(
  run: OpenRun,
  { decision, reach, note, shown, unseen, json }: ApproveOptions,
  signal: AbortSignal,
): Promise<WorkCommand> {
  const { pending } = run.engine;
  const response = { decision, reach, note };
  // Without a request the engine says so.
  if (decision === 'no' || shown !== undefined || pending?.kind !== 'approval')
    return (work) => work.approve({ ...response, shown });
  const { action } = pending;
  if (unseen) return (work) => work.approve({ ...response, ...unseenOf(action) });
  if (!json) for (const line of describeApproval(pending, style)) print(line);
  const hash = hashShown(action);
  const command = `crewagent approve ${shortId(run.record.workId)}`;
  if (json || !isInteractive())
    throw new CrewError(
      'USAGE',
      `Nothing was approved. Look at the change${json ? ` with: crewagent show ${shortId(run.record.workId)}` : ' above'}, then approve exactly that with: ${command} --shown ${hash}. To approve it without looking, use --unseen.`,
    );
  if (!(await confirm(`  Approve it? [y]es · [n]o ${style('cyan', '›')} `, signal)))
    throw new CrewError('USAGE', `Nothing was approved. Deny it with: ${command} --no`);
  return (work) => work.approve({ ...response, shown: hash });
}

export interface SkipOptions extends ResumeOptions {
  /** The node where the run continues. */
  readonly to?: string;
  /** The node whose call is skipped. */
  readonly node?: string;
}

export async function skip(ref: string, { to, node: nodeId, ...options }: SkipOptions): Promise<ExitCode> {
  return continueRun(ref, options, () => (work) => work.skipCall({ to, nodeId }));
}

export interface WaiveOptions extends ResumeOptions {
  readonly output?: string;
  readonly wait?: true;
  readonly all?: true;
  readonly reason: string;
}

export async function waive(
  ref: string,
  { output, wait, all, reason, ...options }: WaiveOptions,
): Promise<ExitCode> {
  if ([output, wait, all].filter((given) => given !== undefined).length !== 1)
    throw new CrewError('USAGE', 'Say what to waive: --output PATH, --wait or --all.');
  const check = wait ? WAIT_CHECK : output;
  return continueRun(ref, options, () => (work) => work.waive({ check, reason }));
}

async function continueRun(
  ref: string,
  options: ResumeOptions,
  toFirst: (
    run: OpenRun,
    signal: AbortSignal,
  ) => DriveRunOptions['first'] | Promise<DriveRunOptions['first']>,
): Promise<ExitCode> {
  return withSignals(async (watch) => {
    const attendance = createAttendance(options);
    const runtime = openRuntime(attendance);
    const run = await runtime.openRun(ref, { model: toModelChoice(options), recordTo: options.record });
    let first: DriveRunOptions['first'];
    try {
      first = await toFirst(run, watch.signal);
    } catch (error) {
      await run.close();
      throw error;
    }
    return driveRun(runtime, run, { attendance, watch, first, proof: options });
  });
}
