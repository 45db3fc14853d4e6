/**
 * Drives a run: `--input` texts answer first, then the person at the terminal.
 */
import {
  type Glob,
  type OpenRun,
  type OpenRunWork,
  type Pending,
  type Runtime,
  readLog,
  type SessionStop,
  showWork,
  toAddress,
  toOpenWork,
} from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import { takeAccepted } from './accept-input.ts';
import type { WorkCommand } from './ask-person.ts';
import { type DriveOptions, driveWork, respond } from './drive-work.ts';
import type { ExitCode } from './exit-codes.ts';
import { createRunTexts } from './run-texts.ts';
import type { SignalWatch } from './signals.ts';
import { isInteractive } from './terminal.ts';
import { createOutput } from './work-output.ts';

export interface DriveRunOptions extends DriveOptions {
  readonly allowExecutable?: readonly Glob[] | undefined;
  readonly signals: SignalWatch;
  /** The model from now on, if it is not the one the run was created with. */
  readonly model?: RunModel | undefined;
  /** A run that was just created: its first events are printed, too. */
  readonly isNew?: boolean;
  /** The first command; undefined to answer the pending input first. */
  readonly first: ((work: OpenRunWork) => Promise<SessionStop>) | undefined;
}

export async function driveRun(
  { store }: Runtime,
  run: OpenRun,
  options: DriveRunOptions,
): Promise<ExitCode> {
  const { isJson, signals: watch, remaining, model, allowExecutable } = options;
  const work = toOpenWork(run);
  const address = toAddress(run.record);
  const isAsking = !isJson && isInteractive();
  return driveWork(
    work,
    {
      watch,
      async open() {
        const initialEvents: RunEvent[] = [];
        if (options.isNew) await readLog(store, address, (event) => void initialEvents.push(event));
        const { view } = await showWork(store, address);
        const texts = createRunTexts(run, view, model ?? run.record.model);
        return { output: createOutput(texts, { isJson, isAsking }), initialEvents };
      },
      async drive(output) {
        watch.signal.addEventListener('abort', () => void work.stop(), { once: true });
        const ask = isAsking ? await openAsker(watch.signal) : undefined;
        const stop = options.first && !watch.signal.aborted ? await options.first(work) : await work.stop();
        const takeInput = (at: SessionStop) => takeAccepted(at, work.pending, remaining);
        return respond({ work, output, watch, remaining }, stop, { takeInput, ask, allowExecutable });
      },
    },
    options,
  );
}

/** Loaded lazily: only interactive runs need it. */
async function openAsker(signal: AbortSignal) {
  const [{ askPerson }, { createPrompter }] = await Promise.all([
    import('./ask-person.ts'),
    import('./prompter.ts'),
  ]);
  const prompter = createPrompter(signal);
  return (stop: SessionStop, pending: Pending | undefined): Promise<WorkCommand | undefined> =>
    askPerson(stop, pending, prompter);
}
