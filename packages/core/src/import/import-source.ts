/**
 * Imports a module or skill of another tool: reads and converts the source, writes a package folder with a report, then
 * validates and rehearses the package. Entry point of `core/import`.
 */
import { stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import type { ImportReport } from '@crewagent/protocol/import-report';
import type { SourcePlace } from '@crewagent/protocol/package-origin';
import { CrewError } from '../base/crew-error.ts';
import { withDiskErrors } from '../base/errno.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { inspectPackage } from '../bmad/load-package.ts';
import {
  type RehearsalProgress,
  type RehearsalReport,
  rehearsePackage,
} from '../rehearse/rehearse-package.ts';
import type { ConvertOptions } from './convert-source.ts';
import {
  chooseVersion,
  notImported,
  readEarlierImport,
  readFolderVersion,
  setVersion,
  toChanges,
  toGitFacts,
  writeOrigin,
} from './earlier-import.ts';
import { readSource, readSourceArchive, type SourceTree } from './source/read-source.ts';
import { type SourcePart, splitSource } from './split-source.ts';
import { toAttention } from './to-attention.ts';
import { toReportPage } from './to-report-page.ts';
import { REPORT_FILE, writeImport } from './write-import.ts';

export interface ImportRequest extends ConvertOptions {
  /** A folder or a zip. */
  readonly source: string;
  /** Name of the source in the report; default: that of the folder or file. */
  readonly name?: string | undefined;
  /** Target folder; default: a folder with the package's name in the working directory. */
  readonly out?: string | undefined;
  /** The target must be the folder of an earlier import. */
  readonly isUpdate?: boolean | undefined;
  /** A source that is too large for a package becomes several; otherwise it is rejected. */
  readonly isSplit?: boolean | undefined;
  /** Where the source comes from, if it can be found there again. */
  readonly place?: SourcePlace | undefined;
  readonly context: ValidationContext;
  /** Whether to rehearse the package after validation; default: true. */
  readonly rehearse?: boolean | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RehearsalProgress) => void;
}

export type ImportOutcome = Awaited<ReturnType<typeof importSource>>;

export async function importSource(request: ImportRequest) {
  const tree = await loadSource(request.source, request.name);
  const [first, ...others] = splitSource(tree, request, request.isSplit === true);
  const outcome = await importPart(tree, first, request);
  const parts: PartOutcome[] = [];
  for (const part of others) parts.push(await importPart(tree, part, request));
  return { ...outcome, parts };
}

/** `parts` of an outcome: the other packages, if a source became several. */
export type PartOutcome = Awaited<ReturnType<typeof importPart>>;

async function importPart(tree: SourceTree, { files, report, options }: SourcePart, given: ImportRequest) {
  const request = { ...given, ...options };
  const { source, context, signal, onProgress } = request;
  const sha256 = tree.sha256();
  const folder = request.out ?? report.package.name;
  requireSeparate(source, folder);
  const earlier = await readEarlierImport(folder, context);
  if (request.isUpdate && !earlier) throw notImported(folder);
  setVersion(files, chooseVersion(tree, { earlier, place: request.place, sha256 }));
  const edits = await writeImport(folder, files, report);
  const { diagnostics, package: valid } = await inspectPackage(folder, context);
  const version = valid && (await readFolderVersion(folder, valid));
  const changes = toChanges(earlier, version);
  const isRehearsed = valid !== undefined && request.rehearse !== false;
  const rehearsal = isRehearsed
    ? await rehearsePackage({ package: folder, context, signal, onProgress })
    : undefined;
  const checked = {
    ...report,
    source: { ...report.source, sha256, git: toGitFacts(request.place) },
    edits,
    changes: changes ?? earlier?.report?.changes,
    checks: toChecks(diagnostics, rehearsal),
  };
  const final = { ...checked, attention: toAttention(checked) };
  await withDiskErrors(`Could not write the report to "${folder}"`, async () => {
    await writeFile(join(folder, REPORT_FILE), `${JSON.stringify(final, null, 2)}\n`);
    await writeFile(join(folder, 'import-report.md'), toReportPage(final));
    if (request.place) await writeOrigin(folder, request.place, { sha256, ...request });
  });
  return { folder, report: final, diagnostics, rehearsal, version, changes };
}

/** Reads a folder or a zip. */
export async function loadSource(source: string, name: string | undefined): Promise<SourceTree> {
  const isFile = await stat(source).then(
    (found) => found.isFile(),
    () => false,
  );
  return isFile ? readSourceArchive(source, { name }) : readSource(source, { name });
}

/** A package inside its source would be part of the source in the next import. */
function requireSeparate(source: string, folder: string): void {
  const isInside = (inner: string, outer: string): boolean =>
    !/^\.\.(?:$|[/\\])/.test(relative(resolve(outer), resolve(inner)));
  if (!isInside(folder, source) && !isInside(source, folder)) return;
  throw new CrewError(
    'USAGE',
    `The package cannot be written to "${folder}", inside or around its source. Choose another folder with -o.`,
  );
}

function toChecks(
  diagnostics: readonly Diagnostic[],
  rehearsal: RehearsalReport | undefined,
): NonNullable<ImportReport['checks']> {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const sum = (key: 'nodes' | 'edges') => ({
    covered: rehearsal?.workflows.reduce((total, workflow) => total + workflow[key].covered, 0) ?? 0,
    total: rehearsal?.workflows.reduce((total, workflow) => total + workflow[key].total, 0) ?? 0,
  });
  return {
    errors,
    warnings: diagnostics.length - errors,
    rehearsal: rehearsal && {
      ok: rehearsal.ok,
      nodes: sum('nodes'),
      edges: sum('edges'),
      missingFiles: countMissingFiles(rehearsal),
    },
  };
}

/** Undefined if the rehearsal found anything else: then the package has a problem, and not only its source. */
function countMissingFiles({ failures, isStopped }: RehearsalReport): number | undefined {
  const isOther = isStopped || failures.some(({ kind }) => kind !== 'missing-file');
  return isOther || failures.length === 0 ? undefined : failures.length;
}
