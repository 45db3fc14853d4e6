/** Why a rehearsal failed, and the trials of a package by scripted readers: one row each, then what a reader got away with, where it stopped and went in circles. */
import type { RehearsalFailure } from '@crewagent/core';
import type { Circle, Escape, ReaderTrial, TrialStop } from '@crewagent/protocol/reader-trials';
import { print, sanitize, style } from '../terminal.ts';
import { say } from './texts/say.ts';

export function trialHead(): string[] {
  return ['workflow', 'as', 'nodes', 'turns', 'result'].map((name) =>
    say(`rehearsal.head.${name as 'workflow'}`),
  );
}

export function toTrialRow({ workflow, as, nodes, turns, isCompleted, stop }: ReaderTrial): string[] {
  return [
    sanitize(workflow, 200),
    as,
    `${nodes.covered}/${nodes.total}`,
    String(turns),
    isCompleted
      ? say('status.completed')
      : say('rehearsal.stoppedAt', { node: sanitize(stop?.nodeId ?? '', 60) }),
  ];
}

/** Maximum lines per trial. */
const MAX_LINES = 40;

export function printTrial(trial: ReaderTrial): void {
  const { workflow, as, ok, escapes, stop, circles, waived } = trial;
  const lines = [
    ...(stop ? describeStop(stop, ok) : []),
    ...groupByStep(escapes).map(
      (step) => `${style(ok ? 'yellow' : 'red', say('rehearsal.gotAway'))} ${describeEscapes(step)}`,
    ),
    ...circles.flatMap(describeCircle),
    ...(waived.length > 0
      ? [`${style('dim', say('rehearsal.waived'))} ${sanitize(waived.join(', '), 400)}`]
      : []),
  ];
  if (lines.length === 0) return;
  print(`\n  ${style('bold', `${sanitize(workflow)}, ${as}`)}`);
  for (const line of lines.slice(0, MAX_LINES)) print(`  ${line}`);
  if (lines.length > MAX_LINES)
    print(style('dim', `  ${say('author.moreMissed', { count: lines.length - MAX_LINES })}`));
}

/** Why trials failed, one line each. */
export function listTrialFailures(failures: readonly RehearsalFailure[]): string[] {
  return failures.map(({ workflow = '', message }) => `${sanitize(workflow)}: ${sanitize(message)}`);
}

function describeStop({ nodeId, file, message, checks }: TrialStop, isWanted: boolean): string[] {
  const where = `${style(isWanted ? 'green' : 'red', say('rehearsal.stopped'))} ${sanitize(nodeId)} ${style('dim', sanitize(file))}`;
  const issues = checks.length > 0 ? checks.map((check) => `${check.kind}: ${check.message}`) : [message];
  return [where, ...issues.map((issue) => `         ${sanitize(issue, 400)}`)];
}

function describeEscapes(escapes: readonly Escape[]): string {
  const [first] = escapes;
  const parts = escapes.map(({ kind, path }) =>
    path === undefined
      ? say(`rehearsal.escape.${kind}`)
      : `${sanitize(path)} ${say(`rehearsal.escape.${kind}`)}`,
  );
  return `${sanitize(first?.nodeId ?? '')}: ${parts.join('; ')} ${style('dim', sanitize(first?.file ?? ''))}`;
}

function groupByStep(escapes: readonly Escape[]): Escape[][] {
  const groups = new Map<string, Escape[]>();
  for (const found of escapes) {
    const key = `${found.workflow} ${found.nodeId}`;
    groups.set(key, [...(groups.get(key) ?? []), found]);
  }
  return [...groups.values()];
}

function describeCircle({ nodeId, file, turns, refusals }: Circle): string[] {
  return [
    `${style('yellow', say('rehearsal.circles'))} ${sanitize(nodeId)}, ${say('usage.turns', { count: turns, shown: turns })} ${style('dim', sanitize(file))}`,
    ...refusals.map(({ count, message }) => `         ${count}× ${sanitize(message, 400)}`),
  ];
}

/** One phrase, such as "2 files that steps name are not in the package". */
export function summariseFailures(failures: readonly RehearsalFailure[]): string {
  return FAILURES.flatMap((kind) => {
    const count = failures.filter((failure) => failure.kind === kind).length;
    return count === 0 ? [] : [say(`rehearsal.failure.${kind}`, { count })];
  }).join(say('rehearsal.and'));
}

const FAILURES = [
  'missing-file',
  'not-completed',
  'not-covered',
  'lazy-completed',
  'reader-stopped',
] as const;

const MAX_FILES = 20;

/** Where steps name missing files, one per line; the other failures are part of the report of their workflow. */
export function listMissingFiles(failures: readonly RehearsalFailure[]): string[] {
  const missing = failures.filter(({ kind }) => kind === 'missing-file');
  const lines = missing.slice(0, MAX_FILES).map(({ file, line, message }) => {
    const where = file === undefined ? '' : `${sanitize(file)}${line === undefined ? '' : `:${line}`}  `;
    return where + sanitize(message);
  });
  return missing.length > MAX_FILES
    ? [...lines, say('packages.more', { count: missing.length - MAX_FILES })]
    : lines;
}
