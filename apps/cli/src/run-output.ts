/**
 * Output of commands that drive a run: readable text with a summary, or JSON with one event per line and the result as the
 * last line.
 */
import { join } from 'node:path';
import type { OpenRun, StopPoint } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import type { WorkView } from '@crewagent/protocol/work-view';
import {
  describeDuration,
  describeModel,
  describePhase,
  describeUsage,
  describeWorkflow,
  shortId,
} from './describe-run.ts';
import { createNarrator } from './narrate-run.ts';
import { describePending, nextCommands, type Pending } from './pending.ts';
import { createScreen, toActivity } from './screen.ts';
import { toShownPath } from './shown-path.ts';
import { print, printError, type Styler, sanitize, styleError } from './terminal.ts';

export interface RunOutput {
  begin(initialEvents: readonly RunEvent[]): void;
  onEvent(event: RunEvent): void;
  /** Prints the pending question or approval of an unattended run. */
  showPending(pending: Pending): void;
  /** Call before writing to the terminal by other means. */
  pause(): void;
  end(stop: StopPoint, pending: Pending | undefined): void;
}

export interface OutputOptions {
  readonly run: OpenRun;
  /** The view of the run when it was opened, with the runs that it called. */
  readonly view: WorkView;
  readonly model: RunModel | undefined;
  /** Whether a person can be asked. */
  readonly isAsking: boolean;
}

export function createTextOutput({ run, view, model, isAsking }: OutputOptions): RunOutput {
  const screen = createScreen();
  const { style, width } = screen;
  const narrator = createNarrator({
    style,
    width,
    nodesOf: (runId) => viewOf(view, runId)?.nodes ?? [],
    depthOf: (runId) => viewOf(view, runId)?.caller?.depth ?? 0,
    isTyped: isAsking,
  });
  const startedMs = performance.now();
  const printLines = (lines: readonly string[]): void => {
    screen.write(lines.map((line) => `${line}\n`).join(''));
  };
  return {
    begin: () => printLines([...describeHead(run, model, style), '']),
    onEvent(event) {
      screen.write(narrator.narrate(event));
      const activity = toActivity(event);
      if (activity !== 'unchanged') screen.setActivity(activity);
    },
    showPending: (pending) => printLines(describePending(pending, style)),
    pause() {
      screen.setActivity(undefined);
      screen.write(narrator.pause());
    },
    end(stop, pending) {
      screen.close();
      const elapsed = describeDuration(performance.now() - startedMs);
      printLines(['', ...describeEnd(run, stop, pending, { style, elapsed, model })]);
    },
  };
}

function viewOf({ workId, own, runs }: WorkView, runId: string) {
  return runId === workId ? own : runs.get(runId);
}

/** Only events on standard output; hints for a person go to standard error. */
export function createJsonOutput({ run }: OutputOptions): RunOutput {
  const write = (event: RunEvent): void => print(JSON.stringify(event));
  return {
    begin: (initialEvents) => initialEvents.forEach(write),
    onEvent: write,
    showPending: () => undefined,
    pause: () => undefined,
    end(stop, pending) {
      const { workId: runId } = run.record;
      const { state, usage } = run.engine.memory;
      const { currentNodeId, stepsCompleted, variables, artifacts } = state;
      print(
        JSON.stringify({
          type: 'result',
          runId,
          phase: stop.phase,
          reason: stop.reason ?? null,
          state: { currentNodeId, stepsCompleted, variables, artifacts },
          usage,
        }),
      );
      const commands = nextCommands(runId, stop, pending);
      if (stop.reason) printError(describeStop(run, stop, styleError));
      for (const command of commands) printError(`  ${command}`);
    },
  };
}

function describeHead(
  { record, projectPath }: OpenRun,
  model: RunModel | undefined,
  style: Styler,
): string[] {
  const { packageName, packageVersion } = record;
  const field = (name: string, text: string): string => `  ${style('dim', name.padEnd(8))}${text}`;
  return [
    `${style('bold', sanitize(packageName, 200))} ${sanitize(packageVersion, 60)}${describeWorkflow(record)}`,
    field('model', describeModel(model ?? record.model)),
    field('project', sanitize(projectPath)),
    field('run', shortId(record.workId)),
  ];
}

interface EndOptions {
  readonly style: Styler;
  readonly elapsed: string;
  readonly model: RunModel | undefined;
}

function describeEnd(
  run: OpenRun,
  stop: StopPoint,
  pending: Pending | undefined,
  { style, elapsed, model = run.record.model }: EndOptions,
): string[] {
  const { workId: runId } = run.record;
  const { turn, usage } = run.engine.memory;
  const field = (name: string, text: string): string => `  ${style('dim', name.padEnd(8))}${text}`;
  const files = changedFiles(run);
  const commands = nextCommands(runId, stop, pending);
  return [
    describeStop(run, stop, style),
    ...files.map(({ path, what }, index) => field(index === 0 ? 'files' : '', `${path}${what}`)),
    field('used', `${describeUsage(turn, usage)} · ${elapsed}`),
    // A rehearsal is named above and costs nothing.
    ...(model.kind === 'rehearsal' ? [] : [field('model', describeModel(model))]),
    ...commands.map((command, index) => field(index === 0 ? 'next' : '', command)),
    field('see', `crewagent show ${shortId(runId)}`),
    ...(files.length > 0 ? [field('undo', `crewagent undo ${shortId(runId)}`)] : []),
  ];
}

function describeStop({ record }: OpenRun, stop: StopPoint, style: Styler): string {
  const { mark, style: colour } = describePhase(stop.phase, stop.reason);
  const title = sanitize(record.workflowTitle || record.workflowRef, 200);
  const sentence =
    stop.phase === 'Completed'
      ? `"${title}" completed.`
      : sanitize(stop.reason?.message ?? 'The run is waiting.');
  return `${style(colour, mark)} ${style('bold', sentence)}`;
}

/** Paths relative to the working directory. */
function changedFiles({ journal, engine, projectPath }: OpenRun): { path: string; what: string }[] {
  const shown = new Map<string, string>();
  const own = new Set(journal.list().map(({ path }) => path.replace(/^@project\//, '')));
  // Sub-workflows have journals of their own.
  for (const path of engine.memory.state.artifacts)
    if (!own.has(path)) shown.set(toShownPath(join(projectPath, path)), '');
  for (const { path, kind, undone } of journal.list()) {
    if (undone) continue;
    const file = toShownPath(join(projectPath, path.replace(/^@project\//, '')));
    shown.set(file, kind === 'deleted' ? ' (deleted)' : '');
  }
  return [...shown].map(([path, what]) => ({ path: sanitize(path), what }));
}
