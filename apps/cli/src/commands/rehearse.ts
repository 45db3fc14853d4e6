/** `crewagent rehearse`: runs every branch of a package without a model, or tries it as scripted readers. */
import {
  isShortfall,
  type Missed,
  type RehearsalProgress,
  type RehearsalReport,
  type RehearsedRun,
  rehearsePackage,
  type WorkflowRehearsal,
} from '@crewagent/core';
import { READER_KINDS, type ReaderKind, type ReaderTrial } from '@crewagent/protocol/reader-trials';
import { toStatus } from '@crewagent/protocol/status';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openStore } from '../open-store.ts';
import { printDiagnostics } from '../print/print-diagnostics.ts';
import {
  listMissingFiles,
  listTrialFailures,
  printTrial,
  summariseFailures,
  toTrialRow,
  trialHead,
} from '../print/print-trials.ts';
import { cellsOf, fit } from '../print/text/cells.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { print, printError, printOutcome, sanitize, style, styleError } from '../terminal.ts';

export interface RehearseOptions {
  readonly workflow?: string;
  readonly project?: string;
  readonly as: readonly (ReaderKind | 'all')[];
  readonly answer: ReadonlyMap<string, string>;
  readonly json?: true;
}

export async function rehearse(ref: string, options: RehearseOptions): Promise<ExitCode> {
  const as = READER_KINDS.filter((kind) => options.as.includes(kind) || options.as.includes('all'));
  return withSignals(async ({ signal }) => {
    const report = await rehearsePackage({
      package: ref,
      workflow: options.workflow,
      projectPath: options.project,
      answers: options.answer,
      store: openStore(),
      context: validationContext,
      signal,
      ...(as.length > 0 ? { as } : {}),
      ...(hostProcess().stderr.isTTY ? { onProgress: printProgress, onTrial: printTrialProgress } : {}),
    });
    if (options.json) print(JSON.stringify(report));
    else printReport(report);
    return report.isStopped ? EXIT.interrupted : report.ok ? EXIT.ok : EXIT.failed;
  });
}

function printProgress({ workflow, number, run, edges }: RehearsalProgress): void {
  const line = `${sanitize(workflow, 60)} ${say('rehearsal.progress', { number, ...edges })}: ${toPath(run)}`;
  printStep(toStatus(run).isCompleted, line);
}

function printTrialProgress(trial: ReaderTrial): void {
  printStep(trial.ok, toTrialRow(trial).join(' '));
}

function printStep(isOk: boolean, line: string): void {
  const mark = isOk ? styleError('green', '✔') : styleError('red', '✖');
  printError(`${mark} ${styleError('dim', fit(line, (hostProcess().stderr.columns || 80) - 3).trimEnd())}`);
}

function printReport(report: RehearsalReport): void {
  const { package: of, workflows, trials, diagnostics, ok, failures, isStopped } = report;
  printDiagnostics(diagnostics, 'error');
  printOutcome(
    ok,
    `${style('bold', sanitize(of.name))} ${sanitize(of.version)}  ${style('dim', of.hash.slice(0, 12))}`,
  );
  const rows =
    trials.length > 0 ? [trialHead(), ...trials.map(toTrialRow)] : [toHead(), ...workflows.map(toRow)];
  for (const [index, line] of toTable(rows).entries()) print(index === 0 ? style('dim', line) : line);
  for (const workflow of workflows) printProblems(workflow);
  for (const trial of trials) printTrial(trial);
  if (failures.length > 0)
    print(
      `\n  ${style('red', say('rehearsal.failed'))}${say('rehearsal.colon')}${summariseFailures(failures)}`,
    );
  const lines = trials.length > 0 ? listTrialFailures(failures) : listMissingFiles(failures);
  for (const line of lines) print(`    ${line}`);
  if (isStopped) print(style('yellow', `  ${say('rehearsal.incomplete')}`));
}

const HEAD = ['workflow', 'nodes', 'edges', 'halts', 'checks', 'runs', 'warnings'] as const;
const toHead = () => HEAD.map((name) => say(`rehearsal.head.${name}`));
const WIDEST = 60;

function toRow({ ref, nodes, edges, halts, checks, runs }: WorkflowRehearsal): string[] {
  return [
    sanitize(ref, 200),
    ...[nodes, edges, halts, checks].map(({ covered, total }) => `${covered}/${total}`),
    String(runs.length),
    String(runs.reduce((sum, { warnings }) => sum + warnings.length, 0)),
  ];
}

function toTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.min(WIDEST, Math.max(...rows.map((row) => cellsOf(row[column] ?? '')))),
  );
  return rows.map((row) =>
    `  ${row.map((cell, column) => fit(cell, widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}

/** Maximum lines per workflow. */
const MAX_LINES = 40;

function printProblems({ ref, missed, runs }: WorkflowRehearsal): void {
  const lines = [
    ...missed.map(
      (entry) =>
        `${style(isShortfall(entry) ? 'red' : 'yellow', say('rehearsal.missed'))} ${describeMissed(entry)}`,
    ),
    ...runs.flatMap((run, index) => describeProblems(run, index + 1)),
  ];
  if (lines.length === 0) return;
  print(`\n  ${style('bold', sanitize(ref))}`);
  for (const line of lines.slice(0, MAX_LINES)) print(`  ${line}`);
  if (lines.length > MAX_LINES)
    print(style('dim', `  ${say('author.moreMissed', { count: lines.length - MAX_LINES })}`));
}

function describeMissed(entry: Missed): string {
  const what =
    entry.kind === 'node'
      ? `${say('rehearsal.node')} ${sanitize(entry.id)}`
      : `${say('rehearsal.edge')} ${sanitize(entry.from)} → ${sanitize(entry.to)} (${sanitize(entry.label, 100)})`;
  return `${what}: ${sanitize(entry.message)}`;
}

function describeProblems(run: RehearsedRun, number: number): string[] {
  const { phase, reason, warnings } = run;
  return [
    ...(toStatus(run).isCompleted
      ? []
      : [
          `${style('red', say('rehearsal.stoppedRun'))} ${say('rehearsal.run', { number })} ${style('dim', toPath(run))}`,
          `        ${sanitize(reason?.message ?? phase)}`,
        ]),
    ...warnings.map(
      ({ message }) =>
        `${style('yellow', say('author.warning'))} ${say('rehearsal.run', { number })}: ${sanitize(message)}`,
    ),
  ];
}

function toPath({ path }: RehearsedRun): string {
  return sanitize(path.join(' → '), 400);
}
