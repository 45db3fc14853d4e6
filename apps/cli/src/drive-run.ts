/**
 * Drives a run until it completes or waits for input that is not available: `--input` texts answer first, then the person
 * at the terminal. Always leaves the run unlocked and resumable.
 */
import {
  CrewError,
  type ExecutionEngine,
  type Glob,
  type OpenRun,
  type Runtime,
  readLog,
  type StopPoint,
  showWork,
  toAddress,
} from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import { acceptInput, describeUnused } from './accept-input.ts';
import { answerUnattended } from './answer-unattended.ts';
import type { RunCommand } from './ask-person.ts';
import { toExitCode } from './describe-run.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Pending } from './pending.ts';
import { createJsonOutput, createTextOutput, type RunOutput } from './run-output.ts';
import type { SignalWatch } from './signals.ts';
import { isInteractive, printError, sanitize, styleError } from './terminal.ts';
import { watchOutput } from './watch-output.ts';

export interface DriveOptions {
  readonly inputs: readonly string[];
  /** The inputs that are left; those that are used are removed. */
  readonly remaining: string[];
  readonly isJson: boolean;
  /** Patterns of files that something runs later and that may be written in unattended runs. */
  readonly allowExecutable?: readonly Glob[] | undefined;
  readonly signals: SignalWatch;
  /** The model from now on, if it is not the one the run was created with. */
  readonly model?: RunModel | undefined;
  /** A run that was just created: its first events are printed, too. */
  readonly isNew?: boolean;
  /** The first command; undefined to answer the pending input first. */
  readonly first: ((engine: ExecutionEngine) => Promise<StopPoint>) | undefined;
}

export async function driveRun(runtime: Runtime, run: OpenRun, options: DriveOptions): Promise<ExitCode> {
  const { isJson, signals } = options;
  const { engine } = run;
  const broken = watchOutput(() => signals.interrupt());
  let output: RunOutput | undefined;
  let outcome: Outcome;
  try {
    const initialEvents: RunEvent[] = [];
    if (options.isNew)
      await readLog(runtime.store, toAddress(run.record), (event) => void initialEvents.push(event));
    const { view } = await showWork(runtime.store, toAddress(run.record));
    const outputOptions = { run, view, model: options.model, isAsking: !isJson && isInteractive() };
    output = isJson ? createJsonOutput(outputOptions) : createTextOutput(outputOptions);
    output.begin(initialEvents);
    engine.subscribe(output.onEvent);
    signals.signal.addEventListener('abort', () => void engine.stop(), { once: true });
    outcome = await continueRun(run, output, options);
  } finally {
    output?.pause();
    await run.close();
    signals.end();
  }
  output.end(outcome.stop, pendingOf(run));
  if (outcome.unused) printError(styleError('yellow', describeUnused(outcome.unused, options.inputs.length)));
  if (outcome.issue) printError(`${styleError('red', 'Error:')} ${sanitize(outcome.issue.message)}`);
  return broken.code ?? toCode(outcome, signals);
}

interface Outcome {
  readonly stop: StopPoint;
  /** Number of `--input` texts that were not used. */
  readonly unused?: number;
  /** An `--input` text is not a valid answer. */
  readonly issue?: CrewError;
}

async function continueRun(
  run: OpenRun,
  output: RunOutput,
  { remaining, isJson, allowExecutable = [], signals, first }: DriveOptions,
): Promise<Outcome> {
  const { engine } = run;
  const ask = isJson || !isInteractive() ? undefined : await openAsker(signals.signal);
  let stop = first && !signals.signal.aborted ? await first(engine) : await engine.stop();
  for (;;) {
    output.pause();
    if (signals.signal.aborted) return { stop };
    const pending = pendingOf(run);
    let next = ask
      ? undefined
      : answerUnattended(pending, {
          isAutopilot: run.record.tools.approval === 'autopilot',
          allowed: allowExecutable,
        });
    const [text] = next ? [] : remaining;
    if (pending && (!ask || (text !== undefined && pending.kind === 'question'))) output.showPending(pending);
    if (text !== undefined) {
      try {
        const accepted = acceptInput(stop, pending, remaining);
        next = accepted?.command;
        remaining.splice(0, accepted?.count ?? 0);
      } catch (error) {
        if (!(error instanceof CrewError)) throw error;
        return { stop, issue: error };
      }
    }
    next ??= await ask?.(stop, pending);
    if (!next) return { stop, unused: remaining.length };
    stop = await next(engine);
  }
}

/** Loaded lazily: only interactive runs need it. */
async function openAsker(signal: AbortSignal) {
  const [{ askPerson }, { createPrompter }] = await Promise.all([
    import('./ask-person.ts'),
    import('./prompter.ts'),
  ]);
  const prompter = createPrompter(signal);
  return (stop: StopPoint, pending: Pending | undefined): Promise<RunCommand | undefined> =>
    askPerson(stop, pending, prompter);
}

/** The question or approval the run waits for; undefined once it is answered. */
function pendingOf({ engine }: OpenRun): Pending | undefined {
  return engine.pending;
}

function toCode({ stop, issue }: Outcome, { signal }: SignalWatch): ExitCode {
  const code = issue ? EXIT.usage : toExitCode(stop);
  return signal.aborted && code !== EXIT.ok ? EXIT.interrupted : code;
}
