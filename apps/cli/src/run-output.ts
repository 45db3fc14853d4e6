/**
 * How a run that is driven here is told: to a person as a story with a summary, or to a program as one event a line and
 * a last line with the result.
 */
import { join } from 'node:path';
import type { OpenRun, StopPoint } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import type { RunView } from '@crewagent/protocol/run-view';
import {
  describeDuration,
  describeModel,
  describePhase,
  describeUsage,
  describeWorkflow,
  shortId,
} from './describe-run.ts';
import { createNarrator } from './narrate-run.ts';
import { describePending, type Pending, waysOn } from './pending.ts';
import { createScreen, toActivity } from './screen.ts';
import { toShownPath } from './shown-path.ts';
import { print, printError, type Styler, sanitize, styleError } from './terminal.ts';

export interface RunOutput {
  begin(known: readonly RunEvent[]): void;
  onEvent(event: RunEvent): void;
  /** What the run waits for, where nobody is there to be asked. */
  showPending(pending: Pending): void;
  /** To be called before somebody else writes. */
  pause(): void;
  end(stop: StopPoint, pending: Pending | undefined): void;
}

export interface OutputOptions {
  readonly run: OpenRun;
  /** As the run is when it is opened. */
  readonly view: RunView;
  readonly model: RunModel | undefined;
  /** A person sits there and types. */
  readonly isAsking: boolean;
}

export function createStory({ run, view, model, isAsking }: OutputOptions): RunOutput {
  const screen = createScreen();
  const { style, width } = screen;
  const narrator = createNarrator({ style, width, nodesOf: () => view.nodes, isTyped: isAsking });
  const startedMs = performance.now();
  const printLines = (lines: readonly string[]): void => {
    screen.write(lines.map((line) => `${line}\n`).join(''));
  };
  return {
    begin: () => printLines([...describeHead(run, model, style), '']),
    onEvent(event) {
      screen.write(narrator.tell(event));
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
      printLines(['', ...describeEnd(run, stop, pending, { style, elapsed })]);
    },
  };
}

/** Nothing but events on standard output; what a person should do next goes to standard error. */
export function createEventLines({ run }: OutputOptions): RunOutput {
  const write = (event: RunEvent): void => print(JSON.stringify(event));
  return {
    begin: (known) => known.forEach(write),
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
      const ways = waysOn(runId, stop, pending);
      if (stop.reason) printError(describeStop(run, stop, styleError));
      for (const way of ways) printError(`  ${way}`);
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
}

function describeEnd(
  run: OpenRun,
  stop: StopPoint,
  pending: Pending | undefined,
  { style, elapsed }: EndOptions,
): string[] {
  const { workId: runId } = run.record;
  const { turn, usage } = run.engine.memory;
  const field = (name: string, text: string): string => `  ${style('dim', name.padEnd(8))}${text}`;
  const files = changedFiles(run);
  const ways = waysOn(runId, stop, pending);
  return [
    describeStop(run, stop, style),
    ...files.map(({ path, what }, index) => field(index === 0 ? 'files' : '', `${path}${what}`)),
    field('used', `${describeUsage(turn, usage)} · ${elapsed}`),
    ...ways.map((way, index) => field(index === 0 ? 'go on' : '', way)),
    field('see', `crewagent show ${shortId(runId)}`),
    ...(files.length > 0 ? [field('undo', `crewagent undo ${shortId(runId)}`)] : []),
  ];
}

function describeStop({ record }: OpenRun, stop: StopPoint, style: Styler): string {
  const { mark, style: colour } = describePhase(stop.phase, stop.reason);
  const title = sanitize(record.workflowTitle || record.workflowRef, 200);
  const sentence =
    stop.phase === 'Completed'
      ? `"${title}" is complete.`
      : sanitize(stop.reason?.message ?? 'The run waits.');
  return `${style(colour, mark)} ${style('bold', sentence)}`;
}

/** As the person would open them from here. */
function changedFiles({ journal, projectPath }: OpenRun): { path: string; what: string }[] {
  const shown = new Map<string, string>();
  for (const { path, kind, undone } of journal.list()) {
    if (undone) continue;
    const file = toShownPath(join(projectPath, path.replace(/^@project\//, '')));
    shown.set(file, kind === 'deleted' ? ' (deleted)' : '');
  }
  return [...shown].map(([path, what]) => ({ path: sanitize(path), what }));
}
