/**
 * Drives a Work until it completes or waits for input that is not available. `--input` texts answer first. Always leaves the
 * Work unlocked and resumable.
 */
import { CrewError, type Glob, type OpenWork, type Pending, type SessionStop } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { toStatus } from '@crewagent/protocol/status';
import { describeUnused } from '../ask/accept-input.ts';
import { answerUnattended } from '../ask/answer-unattended.ts';
import type { WorkCommand } from '../ask/work-command.ts';
import type { Attendance } from '../attendance.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { describeError } from '../print/describe-error.ts';
import { createOutput, type WorkOutput, type WorkTexts } from '../print/work-output.ts';
import type { SignalWatch } from '../signals.ts';
import { printError, styleError } from '../terminal.ts';

export interface Drive<Work extends OpenWork> {
  readonly attendance: Attendance;
  readonly watch: SignalWatch;
  /** What the output says about the Work, and events from before the output subscribed. */
  open(): Promise<{ readonly texts: WorkTexts; readonly initialEvents: readonly RunEvent[] }>;
  drive(driven: DrivenWork<Work>): Promise<Outcome>;
}

export interface DrivenWork<Work extends OpenWork = OpenWork> {
  readonly work: Work;
  readonly output: WorkOutput;
  readonly attendance: Attendance;
  readonly watch: SignalWatch;
}

export interface Outcome {
  readonly stop: SessionStop;
  readonly code: ExitCode;
  /** Number of `--input` texts that were not used. */
  readonly unused?: number;
  /** An `--input` text is not a valid answer. */
  readonly issue?: CrewError;
}

export async function driveWork<Work extends OpenWork>(
  work: Work,
  { attendance, watch, open, drive }: Drive<Work>,
): Promise<ExitCode> {
  const broken = watchOutput(() => watch.interrupt());
  let output: WorkOutput | undefined;
  let outcome: Outcome;
  try {
    const { texts, initialEvents } = await open();
    output = await createOutput(texts, attendance);
    output.begin(initialEvents);
    work.subscribe(output.onEvent);
    outcome = await drive({ work, output, attendance, watch });
  } finally {
    output?.pause();
    await work.close();
  }
  output.end(outcome.stop);
  const { unused, issue } = outcome;
  if (unused) printError(styleError('yellow', describeUnused(unused, attendance.inputs.length)));
  if (issue) printError(await describeError(issue));
  return broken.code ?? outcome.code;
}

/** Interrupts the command, as a signal does, when its output can no longer be written: the reader is gone, or the disk is full. */
function watchOutput(interrupt: () => void): { readonly code?: ExitCode } {
  const broken: { code?: ExitCode } = {};
  const { stdout, stderr } = hostProcess();
  // If the terminal is gone, there is nowhere to report an error.
  stderr.on('error', () => interrupt());
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (broken.code === undefined && error.code !== 'EPIPE')
      printError(`Error: the output could not be written (${error.code ?? error.message}).`);
    broken.code ??= error.code === 'EPIPE' ? EXIT.interrupted : EXIT.failed;
    interrupt();
  });
  return broken;
}

export interface Responder {
  /** The command for the next `--input` texts, which it removes; undefined if they cannot answer the stop. */
  takeInput(stop: SessionStop): WorkCommand | 'leave' | undefined;
  /** Asks the person at the terminal; undefined without one. */
  readonly ask?:
    | ((stop: SessionStop, pending: Pending | undefined) => Promise<WorkCommand | undefined>)
    | undefined;
  /** Patterns of files that something runs later and that may be written in unattended runs. */
  readonly allowExecutable?: readonly Glob[] | undefined;
  /** Speaks for the person where the run waits for words and nobody is there; undefined where it must not. */
  speak?: ((stop: SessionStop, pending: Pending | undefined) => WorkCommand | undefined) | undefined;
  /** Only for conversations. */
  readonly turns?: TurnOutcomes;
}

/** Outcome of the last line that was typed in a conversation. */
export interface TurnOutcomes {
  /** The command could not be executed. */
  readonly wasRejected: boolean;
  /** The turn was stopped. */
  readonly wasStopped: boolean;
}

/** Executes command after command, until no input is left and nobody can be asked. */
export async function respond(
  { work, output, watch, attendance: { remaining } }: DrivenWork,
  first: SessionStop,
  { takeInput, ask, allowExecutable: allowed = [], speak, turns }: Responder,
): Promise<Outcome> {
  const isAutopilot = work.record.tools.approval === 'autopilot';
  for (let stop = first; ; ) {
    output.pause();
    const { pending } = work;
    if (watch.signal.aborted) return { stop, code: toExitCode(stop, watch, turns) };
    if (turns?.wasRejected) return { stop, code: EXIT.usage, unused: remaining.length };
    let next: WorkCommand | 'leave' | undefined = ask
      ? undefined
      : answerUnattended(pending, { isAutopilot, allowed });
    const isInputNext = !next && remaining.length > 0;
    if (pending && (!ask || (isInputNext && pending.kind === 'question'))) output.showPending(pending);
    try {
      if (isInputNext) next = takeInput(stop);
    } catch (error) {
      if (!(error instanceof CrewError)) throw error;
      return { stop, code: EXIT.usage, issue: error };
    }
    next ??= (await ask?.(stop, pending)) ?? speak?.(stop, pending);
    if (!next || next === 'leave')
      return { stop, code: toExitCode(stop, watch, turns), unused: remaining.length };
    stop = await next(work);
  }
}

/** A conversation that waits for the next message is not an open run: nothing is left to do. */
function toExitCode(stop: SessionStop, { signal }: SignalWatch, turns: TurnOutcomes | undefined): ExitCode {
  const { kind, isBug } = toStatus(stop);
  if (signal.aborted && (turns || kind !== 'completed')) return EXIT.interrupted;
  if (kind === 'completed') return EXIT.ok;
  if (kind === 'failed' || isBug) return EXIT.failed;
  if (kind === 'limit') return EXIT.limit;
  if (turns ? turns.wasStopped : kind === 'stopped') return EXIT.interrupted;
  const isIdle = kind === 'reply' || kind === 'stopped';
  return isIdle && stop.mode !== 'run' ? EXIT.ok : EXIT.waiting;
}
