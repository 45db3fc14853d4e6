/**
 * Drives a run from here until it is complete, or until nobody here can say how it goes on: texts that were given
 * beforehand answer it, then the person at the terminal. Leaves it unlocked and resumable, whatever happens.
 */
import {
  CrewError,
  type ExecutionEngine,
  type Glob,
  type OpenRun,
  type Runtime,
  readLog,
  type StopPoint,
  toAddress,
} from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import { addToRunView, createRunView } from '@crewagent/protocol/run-view';
import { answerForNobody } from './answer-for-nobody.ts';
import type { RunCommand } from './ask-person.ts';
import { toExitCode } from './describe-run.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Pending } from './pending.ts';
import { createEventLines, createStory, type RunOutput } from './run-output.ts';
import type { SignalWatch } from './signals.ts';
import { describeUnused, takeInput } from './take-input.ts';
import { isInteractive, printError, sanitize, styleError } from './terminal.ts';
import { watchOutput } from './watch-output.ts';

export interface DriveOptions {
  readonly inputs: readonly string[];
  readonly isJson: boolean;
  /** Files that something runs later and that may be written where nobody is asked: patterns. */
  readonly allowExecutable?: readonly Glob[] | undefined;
  readonly signals: SignalWatch;
  /** The model that drives it from now on, where it is not the one it was made with. */
  readonly model?: RunModel | undefined;
  /** A run that was made just now: its first events are part of the story. */
  readonly isNew?: boolean;
  /** What it is told first; else what it waits for is answered first. */
  readonly first: ((engine: ExecutionEngine) => Promise<StopPoint>) | undefined;
}

export async function driveRun(runtime: Runtime, run: OpenRun, options: DriveOptions): Promise<ExitCode> {
  const { isJson, signals } = options;
  const { engine } = run;
  const broken = watchOutput(() => signals.interrupt());
  let output: RunOutput | undefined;
  let outcome: Outcome;
  try {
    const known: RunEvent[] = [];
    const view = createRunView(run.record.workId);
    await readLog(runtime.store, toAddress(run.record), (event) => {
      addToRunView(view, event);
      if (options.isNew) known.push(event);
    });
    const outputOptions = { run, view, model: options.model, isAsking: !isJson && isInteractive() };
    output = isJson ? createEventLines(outputOptions) : createStory(outputOptions);
    output.begin(known);
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
  /** Texts that were given beforehand and that nothing asked for. */
  readonly unused?: number;
  /** A text that was given beforehand does not fit what was asked. */
  readonly issue?: CrewError;
}

async function continueRun(
  run: OpenRun,
  output: RunOutput,
  { inputs, isJson, allowExecutable = [], signals, first }: DriveOptions,
): Promise<Outcome> {
  const { engine } = run;
  const ask = isJson || !isInteractive() ? undefined : await openAsker(signals.signal);
  const left = [...inputs];
  let stop = first && !signals.signal.aborted ? await first(engine) : await engine.stop();
  for (;;) {
    output.pause();
    if (signals.signal.aborted) return { stop };
    const pending = pendingOf(run);
    let next = ask
      ? undefined
      : answerForNobody(pending, {
          isAutopilot: run.record.tools.approval === 'autopilot',
          allowed: allowExecutable,
        });
    const [text] = next ? [] : left;
    if (pending && (!ask || (text !== undefined && pending.kind === 'question'))) output.showPending(pending);
    if (text !== undefined) {
      try {
        const taken = takeInput(stop, pending, left);
        next = taken?.command;
        left.splice(0, taken?.count ?? 0);
      } catch (error) {
        if (!(error instanceof CrewError)) throw error;
        return { stop, issue: error };
      }
    }
    next ??= await ask?.(stop, pending);
    if (!next) return { stop, unused: left.length };
    stop = await next(engine);
  }
}

/** Loaded where somebody can be asked, and nowhere else. */
async function openAsker(signal: AbortSignal) {
  const [{ askPerson }, { createPrompter }] = await Promise.all([
    import('./ask-person.ts'),
    import('./prompter.ts'),
  ]);
  const prompter = createPrompter(signal);
  return (stop: StopPoint, pending: Pending | undefined): Promise<RunCommand | undefined> =>
    askPerson(stop, pending, prompter);
}

/** What the run waits for a person to say, while it has not been said. */
function pendingOf({ engine }: OpenRun): Pending | undefined {
  const { pending } = engine.memory;
  if (!pending) return undefined;
  return (pending.kind === 'question' ? pending.answers : pending.resolved) ? undefined : pending;
}

function toCode({ stop, issue }: Outcome, { signal }: SignalWatch): ExitCode {
  const code = issue ? EXIT.usage : toExitCode(stop);
  return signal.aborted && code !== EXIT.ok ? EXIT.interrupted : code;
}
