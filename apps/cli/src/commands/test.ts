/** `crewagent test`: runs the tests of a package. */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CrewError, makeFolderOf, resolveRun, saveTest, testPackage, withDiskErrors } from '@crewagent/core';
import type { PackageTestReport, PackageTestResult } from '@crewagent/protocol/package-tests';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openRuntime } from '../open-runtime.ts';
import { toJUnit } from '../print/junit.ts';
import { printDiff } from '../print/print-diff.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { print, printDone, printOutcome, sanitize, style } from '../terminal.ts';
import type { EvaluateOptions } from './evaluate.ts';

export interface TestOptions extends EvaluateOptions {
  readonly minCoverage?: number;
  readonly update?: true;
  readonly junit?: string;
  readonly fromRun?: string;
  readonly name?: string;
  readonly models?: readonly string[];
}

export async function test(folder: string | undefined, options: TestOptions): Promise<ExitCode> {
  requireFitting(options);
  if (options.fromRun !== undefined) return saveRun(options.fromRun, folder, options);
  if (options.models) return (await import('./evaluate.ts')).evaluate(folder, options.models, options);
  return withSignals(async ({ signal }) => {
    const report = await testPackage({
      folder: resolve(folder ?? '.'),
      context: validationContext,
      filter: options.filter,
      updates: options.update,
      signal,
      onTest: options.json ? undefined : printResult,
    });
    const { junit } = options;
    if (junit !== undefined)
      await withDiskErrors(`Could not write "${junit}"`, async () => {
        makeFolderOf(junit);
        await writeFile(junit, toJUnit(report));
      });
    const isCovered = report.percent >= (options.minCoverage ?? 0);
    if (options.json) print(JSON.stringify(report));
    else printSummary(report, isCovered ? undefined : options.minCoverage);
    if (report.isStopped) return EXIT.interrupted;
    return report.ok && isCovered ? EXIT.ok : EXIT.failed;
  });
}

/** An option without effect would be noticed late, such as a report that is missing in CI. */
function requireFitting(options: TestOptions): void {
  const hasModels = options.models !== undefined;
  const isOfRun = options.fromRun !== undefined;
  const ofModels = ['repeats', 'jobs', 'judge', 'maxCost'] as const;
  const ofReport = ['junit', 'minCoverage', 'update'] as const;
  const misfits: readonly [isMisfit: boolean, names: readonly (keyof TestOptions)[], why: string][] = [
    [
      isOfRun,
      ['models', ...ofModels, ...ofReport, 'filter'],
      'does not go with --from-run, which runs no tests',
    ],
    [!isOfRun, ['name'], 'only goes with --from-run'],
    [hasModels, ofReport, 'does not go with --models; --json prints the whole report'],
    [!hasModels, ofModels, 'only goes with --models'],
  ];
  for (const [isMisfit, names, why] of misfits) {
    const given = isMisfit ? names.find((name) => options[name] !== undefined) : undefined;
    if (given !== undefined) throw new CrewError('USAGE', `${toFlag(given)} ${why}.`);
  }
}

/** The option as it is written: `--max-cost` for `maxCost`. */
function toFlag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Makes a test of a run. */
async function saveRun(ref: string, folder: string | undefined, options: TestOptions): Promise<ExitCode> {
  const { store } = openRuntime();
  const saved = await saveTest({
    run: await resolveRun(store, ref),
    store,
    context: validationContext,
    folder: folder === undefined ? undefined : resolve(folder),
    name: options.name,
    now: () => new Date(),
  });
  if (options.json) print(JSON.stringify(saved));
  else {
    printDone(`Saved the run as ${sanitize(join(saved.folder, saved.file))}. It passes.`);
    for (const path of saved.left)
      print(style('yellow', `  Too large for a test, and left out: ${sanitize(path)}`));
  }
  return EXIT.ok;
}

function printResult({ ok, name, model, turns, failures, drifts, updated }: PackageTestResult): void {
  const facts = `${sanitize(model)}, ${say('author.turns', { count: turns })}`;
  printOutcome(ok, `${sanitize(name)}  ${style('dim', facts)}`);
  for (const { message, diff } of failures) printIssue(message, diff);
  // What the model is sent changed since the recording; the first time is enough to see how.
  const [drift, ...others] = drifts;
  if (drift) {
    const more = others.length > 0 ? ` (and ${others.length} more requests)` : '';
    printIssue(`The recording still fits. ${drift.message}${more}`, ok ? undefined : drift.diff);
  }
  for (const file of updated) print(style('dim', `    wrote ${sanitize(file)}`));
}

function printIssue(message: string, diff: string | undefined): void {
  print(`    ${sanitize(message)}`);
  if (diff !== undefined) printDiff(diff, '      ');
}

const MAX_MISSED = 10;

function printSummary(
  { tests, coverage, percent, isStopped }: PackageTestReport,
  minimum: number | undefined,
) {
  const failed = tests.filter(({ ok }) => !ok).length;
  print('');
  for (const { workflow, nodes, edges, halts, checks, missed } of coverage) {
    const counts = Object.entries({ node: nodes, edge: edges, halt: halts, check: checks })
      .filter(([, { total }]) => total > 0)
      .map(([what, { covered, total }]) => `${say(`author.${what as 'node'}`)} ${covered}/${total}`);
    print(`  ${sanitize(workflow)}  ${style('dim', counts.join('  '))}`);
    for (const name of missed.slice(0, MAX_MISSED))
      print(style('dim', `    ${say('author.missed', { name: sanitize(name) })}`));
    if (missed.length > MAX_MISSED)
      print(style('dim', `    ${say('author.moreMissed', { count: missed.length - MAX_MISSED })}`));
  }
  print(`  ${say('author.summary', { passed: tests.length - failed, failed, percent })}`);
  if (minimum !== undefined) print(style('red', `  ${say('author.tooLittle', { minimum })}`));
  if (isStopped) print(style('yellow', `  ${say('author.stopped')}`));
}
