/** `crewagent rehearse`: runs every branch of a package without a model. */
import {
  isShortfall,
  type Missed,
  type RehearsalProgress,
  type RehearsalReport,
  type RehearsedRun,
  rehearsePackage,
  type WorkflowRehearsal,
} from '@crewagent/core';
import { toStatus } from '@crewagent/protocol/status';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openStore } from '../open-store.ts';
import { cellsOf, fit } from '../print/cells.ts';
import { printDiagnostics } from '../print/print-diagnostics.ts';
import { listMissingFiles, summariseFailures } from '../print/print-failures.ts';
import { withSignals } from '../signals.ts';
import { print, printError, sanitize, style, styleError } from '../terminal.ts';

export interface RehearseOptions {
  readonly workflow?: string;
  readonly project?: string;
  readonly json?: true;
}

export async function rehearse(ref: string, options: RehearseOptions): Promise<ExitCode> {
  return withSignals(async ({ signal }) => {
    const report = await rehearsePackage({
      package: ref,
      workflow: options.workflow,
      projectPath: options.project,
      store: openStore(),
      context: validationContext,
      signal,
      ...(hostProcess().stderr.isTTY ? { onProgress: printProgress } : {}),
    });
    if (options.json) print(JSON.stringify(report));
    else printReport(report);
    return report.isStopped ? EXIT.interrupted : report.ok ? EXIT.ok : EXIT.failed;
  });
}

function printProgress({ workflow, number, run, edges }: RehearsalProgress): void {
  const mark = toStatus(run).isCompleted ? styleError('green', '✔') : styleError('red', '✖');
  const line = `${sanitize(workflow, 60)} run ${number}, edges ${edges.covered}/${edges.total}: ${toPath(run)}`;
  printError(`${mark} ${styleError('dim', fit(line, (hostProcess().stderr.columns || 80) - 3).trimEnd())}`);
}

function printReport(report: RehearsalReport): void {
  const { package: of, workflows, diagnostics, ok, failures, isStopped } = report;
  printDiagnostics(diagnostics, 'error');
  const mark = ok ? style('green', '✔') : style('red', '✖');
  print(
    `${mark} ${style('bold', sanitize(of.name))} ${sanitize(of.version)}  ${style('dim', of.hash.slice(0, 12))}`,
  );
  for (const [index, line] of toTable(workflows).entries()) print(index === 0 ? style('dim', line) : line);
  for (const workflow of workflows) printProblems(workflow);
  if (failures.length > 0) print(`\n  ${style('red', 'failed')}: ${summariseFailures(failures)}`);
  for (const line of listMissingFiles(failures)) print(`    ${line}`);
  if (isStopped) print(style('yellow', '  The rehearsal was stopped; this report is incomplete.'));
}

const HEAD = ['workflow', 'nodes', 'edges', 'runs', 'warnings'];
const WIDEST = 60;

function toTable(workflows: readonly WorkflowRehearsal[]): string[] {
  const rows = workflows.map(({ ref, nodes, edges, runs }) => [
    sanitize(ref, 200),
    `${nodes.covered}/${nodes.total}`,
    `${edges.covered}/${edges.total}`,
    String(runs.length),
    String(runs.reduce((sum, { warnings }) => sum + warnings.length, 0)),
  ]);
  const widths = HEAD.map((_, column) =>
    Math.min(WIDEST, Math.max(...[HEAD, ...rows].map((row) => cellsOf(row[column] ?? '')))),
  );
  return [HEAD, ...rows].map((row) =>
    `  ${row.map((cell, column) => fit(cell, widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}

/** Maximum lines per workflow. */
const MAX_LINES = 40;

function printProblems({ ref, missed, runs }: WorkflowRehearsal): void {
  const lines = [
    ...missed.map(
      (entry) => `${style(isShortfall(entry) ? 'red' : 'yellow', 'missed ')} ${describeMissed(entry)}`,
    ),
    ...runs.flatMap((run, index) => describeProblems(run, index + 1)),
  ];
  if (lines.length === 0) return;
  print(`\n  ${style('bold', sanitize(ref))}`);
  for (const line of lines.slice(0, MAX_LINES)) print(`  ${line}`);
  if (lines.length > MAX_LINES)
    print(style('dim', `  … and ${lines.length - MAX_LINES} more; --json shows all.`));
}

function describeMissed(entry: Missed): string {
  const what =
    entry.kind === 'node'
      ? `node ${sanitize(entry.id)}`
      : `edge ${sanitize(entry.from)} → ${sanitize(entry.to)} (${sanitize(entry.label, 100)})`;
  return `${what}: ${sanitize(entry.message)}`;
}

function describeProblems(run: RehearsedRun, number: number): string[] {
  const { phase, reason, warnings } = run;
  return [
    ...(toStatus(run).isCompleted
      ? []
      : [
          `${style('red', 'stopped')} run ${number} ${style('dim', toPath(run))}`,
          `        ${sanitize(reason?.message ?? phase)}`,
        ]),
    ...warnings.map(({ message }) => `${style('yellow', 'warning')} run ${number}: ${sanitize(message)}`),
  ];
}

function toPath({ path }: RehearsedRun): string {
  return sanitize(path.join(' → '), 400);
}
