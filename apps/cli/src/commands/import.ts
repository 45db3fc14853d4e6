/** `crewagent import`: converts a module or skill of another tool to a package, and lists what to check by hand. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  type AffectedWork,
  CrewError,
  findAffectedWorks,
  type ImportOutcome,
  importSource,
  isMethodFile,
  METHOD_FILE,
  type PartOutcome,
  type RehearsalProgress,
  withSource,
} from '@crewagent/core';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import { validationContext } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openStore } from '../open-store.ts';
import { printAffected, printChanges } from '../print/print-changes.ts';
import { countDiagnostics, printDiagnostics } from '../print/print-diagnostics.ts';
import { listMissingFiles, summariseFailures } from '../print/print-trials.ts';
import { fit } from '../print/text/cells.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { print, printError, printOutcome, sanitize, style, styleError } from '../terminal.ts';
import { parseImport, type TargetOptions } from './import-target.ts';

export interface ImportCommandOptions extends TargetOptions {
  readonly rehearse: boolean;
  readonly json?: true;
}

export async function importCommand(
  given: readonly string[],
  options: ImportCommandOptions,
): Promise<ExitCode> {
  const words = given.map(toSkillFolder);
  const [first, ...others] = words;
  const isFolder = first !== undefined && existsSync(join(first, METHOD_FILE));
  if (first !== undefined && others.length === 0 && (isFolder || isMethodFile(first))) {
    if (options.update !== undefined || options.json)
      throw new CrewError('USAGE', `"${first}" is a method: only -o goes with it.`);
    if (isFolder && options.out === undefined)
      throw new CrewError(
        'USAGE',
        `"${first}" is the folder of a method: name another for the package with -o.`,
      );
    const { importMethod } = await import('./new.ts');
    await importMethod(first, options.out);
    return EXIT.ok;
  }
  return withSignals(async ({ signal }) => {
    const store = openStore();
    const { source, ...target } = await parseImport(words, options, store);
    const outcome = await withSource(source, { store, signal }, ({ path, name, place }) =>
      importSource({
        ...target,
        source: path,
        name,
        place,
        isSplit: !target.isUpdate,
        rehearse: options.rehearse,
        context: validationContext,
        signal,
        ...(hostProcess().stderr.isTTY ? { onProgress: printProgress } : {}),
      }),
    ).catch((error: unknown) => {
      if (!signal.aborted || !(error instanceof CrewError)) throw error;
      printError(sanitize(error.message));
    });
    if (!outcome) return EXIT.interrupted;
    const { version, changes, parts } = outcome;
    const works = version && changes ? await findAffected(version) : [];
    if (options.json)
      print(
        JSON.stringify({
          ...toJson(outcome),
          works,
          ...(parts.length > 0 ? { parts: parts.map(toJson) } : {}),
        }),
      );
    else printOutcomes(outcome, works);
    return [outcome, ...parts].map(toExitCode).find((code) => code !== EXIT.ok) ?? EXIT.ok;
  });
}

/** The SKILL.md of a skill stands for its folder, whose other files belong to the skill. */
function toSkillFolder(word: string): string {
  return /^skill\.md$/i.test(basename(word)) && existsSync(word) ? dirname(word) : word;
}

function toJson({ folder, report, diagnostics, rehearsal }: PartOutcome) {
  return { folder, report, diagnostics, failures: rehearsal?.failures ?? [] };
}

function toExitCode({ report, rehearsal }: PartOutcome): ExitCode {
  if (rehearsal?.isStopped) return EXIT.interrupted;
  return report.checks?.errors === 0 && rehearsal?.ok !== false ? EXIT.ok : EXIT.failed;
}

/** Runs of other versions of the package; the code for runs is loaded only if an update changed something. */
async function findAffected(version: NonNullable<ImportOutcome['version']>): Promise<AffectedWork[]> {
  const { openRuntime } = await import('../open-runtime.ts');
  return findAffectedWorks(openRuntime().store, version, validationContext);
}

function printProgress({ workflow, number, edges }: RehearsalProgress): void {
  printError(
    styleError('dim', say('imported.progress', { workflow: sanitize(workflow, 60), number, ...edges })),
  );
}

function printOutcomes(outcome: ImportOutcome, works: readonly AffectedWork[]): void {
  const { parts } = outcome;
  printPart(outcome, works);
  for (const part of parts) {
    print('');
    printPart(part, []);
  }
  const folders = [outcome, ...parts].map(({ folder }) => sanitize(folder));
  if (parts.length > 0)
    print(`\n${say('imported.parts', { count: folders.length, folders: folders.join(', ') })}`);
}

function printPart(
  { folder, report, diagnostics, rehearsal, changes }: PartOutcome,
  works: readonly AffectedWork[],
): void {
  const { source, totals, workflows, attention, checks } = report;
  const isOk = checks?.errors === 0 && rehearsal?.ok !== false;
  const size = `${say('imported.workflows', { count: workflows.length })}, ${say('imported.agents', { count: report.package.agents })}`;
  printOutcome(
    isOk,
    `${style('bold', sanitize(report.package.name))} ${size}  ${style('dim', sanitize(folder))}`,
  );
  for (const { era, evidence } of source.eras)
    printField('source', `${era}  ${style('dim', sanitize(evidence, 200))}`);
  for (const { id, kind, nodes, edges, verdict = 'usable' } of workflows)
    printField(
      'workflow',
      `${sanitize(id, 60)}  ${style(VERDICT_COLORS[verdict], say(`imported.${verdict}`))} ${style('dim', `${kind}, ${say('imported.nodes', { count: nodes })}, ${say('imported.links', { count: edges.length })}`)}`,
    );
  printField('edges', say('imported.counts', totals.edges));
  printField('other', say('imported.counts', totals.constructs));
  printByCause(diagnostics, folder);
  printField('validate', countDiagnostics(diagnostics));
  if (checks?.rehearsal) {
    const { nodes, edges } = checks.rehearsal;
    const covered = say('imported.covered', {
      nodes: `${nodes.covered}/${nodes.total}`,
      edges: `${edges.covered}/${edges.total}`,
    });
    const { failures = [] } = rehearsal ?? {};
    const isFailed = failures.length > 0;
    const failed = isFailed
      ? `; ${style('red', say('imported.failed'))}: ${summariseFailures(failures)}`
      : '';
    printField('rehearse', `${covered}${failed}`);
    for (const line of listMissingFiles(failures)) print(`            ${line}`);
    if (checks.rehearsal.missingFiles !== undefined) print(`            ${say('imported.lacks')}`);
    if (failures.some(({ kind }) => kind !== 'missing-file')) print(`            ${say('imported.details')}`);
  }
  printChanges(changes);
  printAffected(works);
  if (attention.length > 0) print(`\n${style('yellow', say('imported.check'))}`);
  for (const line of attention) print(`  - ${sanitize(line, 400)}`);
  print(`\n${say('imported.report', { file: `${sanitize(folder)}/import-report.md` })}`);
}

type Field = 'source' | 'workflow' | 'edges' | 'other' | 'validate' | 'rehearse';

function printField(name: Field, text: string): void {
  print(`  ${fit(say(`imported.${name}`), 8)}  ${text}`);
}

const VERDICT_COLORS = { faithful: 'green', usable: 'yellow', 'needs-work': 'red' } as const;

/** Errors as they are; of the warnings one for each cause, because a module can have hundreds. */
function printByCause(diagnostics: readonly Diagnostic[], folder: string): void {
  printDiagnostics(
    diagnostics.filter(({ severity }) => severity === 'error'),
    'out',
  );
  const causes = new Map<string, Diagnostic[]>();
  for (const entry of diagnostics)
    if (entry.severity !== 'error') causes.set(entry.code, [...(causes.get(entry.code) ?? []), entry]);
  for (const [first, ...others] of causes.values()) {
    if (first) printDiagnostics([first], 'out');
    if (others.length > 0) print(`          ${style('dim', say('imported.more', { count: others.length }))}`);
  }
  if ([...causes.values()].some(({ length }) => length > 1))
    print(`          ${style('dim', say('imported.all', { folder: sanitize(folder) }))}`);
}
