/**
 * Opens and validates the package at a path, with the full report. Used by `validate`, `pack`, import and runs.
 */
import { basename } from 'node:path';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import { CrewError } from '../base/crew-error.ts';
import { isMethodFile, METHOD_FILE } from '../base/method-file.ts';
import { type OpenOptions, type OpenPackage, withPackage } from './archive/open-package.ts';
import { DamagedFile, type PackageFiles } from './archive/package-files.ts';
import { addDamaged, readBytes } from './check/read-document.ts';
import { type ValidationContext, validatePackage } from './check/validate-package.ts';
import type { WorkflowPackage } from './check/workflow-package.ts';
import { createFindings, type Findings } from './findings/findings.ts';

export interface Inspection {
  readonly diagnostics: readonly Diagnostic[];
  readonly advice: readonly Diagnostic[];
  /** Undefined if any diagnostic is an error. */
  readonly package: WorkflowPackage | undefined;
}

/** Reports everything about the package at `path`. Never throws because of its content. */
export async function inspectPackage(
  path: string,
  context: ValidationContext,
  options: OpenOptions = {},
): Promise<Inspection> {
  const findings = createFindings();
  const inspect = async ({ archive, files }: OpenPackage): Promise<WorkflowPackage | undefined> => {
    const readPaths = new Set<string>();
    const loaded = await validatePackage(recordReads(files, readPaths), context, findings);
    // If more than the manifest was read, the package was validated, and its other files need checking, too.
    if (archive && readPaths.size > 1) await checkUnread(files, readPaths, findings);
    return loaded;
  };
  const found = await withSource(path, findings, inspect, options);
  return {
    diagnostics: findings.list(),
    advice: findings.advice(),
    package: findings.hasErrors ? undefined : found,
  };
}

/** Opens and validates the package, then calls `use` with it; throws PACKAGE_INVALID with the report if it is rejected. */
export async function withValidPackage<T>(
  path: string,
  context: ValidationContext,
  use: (source: OpenPackage, loaded: WorkflowPackage, warnings: readonly Diagnostic[]) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const findings = createFindings();
  const result = await withSource(
    path,
    findings,
    async (source) => {
      const loaded = await validatePackage(source.files, context, findings);
      return loaded && { value: await use(source, loaded, findings.list()) };
    },
    options,
  );
  if (!result) throw invalidPackage(options.shown ?? path, findings.list());
  return result.value;
}

/** As `withPackage`; a method is expanded to the full form. */
async function withSource<T>(
  path: string,
  findings: Findings,
  use: (source: OpenPackage) => Promise<T>,
  options: OpenOptions,
): Promise<T | undefined> {
  const expand = async (source: OpenPackage): Promise<T | undefined> => {
    const { paths } = source.files;
    if (source.archive || paths.has('bmad.json') || !paths.has(METHOD_FILE)) return use(source);
    const { openMethod } = await import('./one-file/open-method.ts');
    const name = isMethodFile(path) ? basename(options.shown ?? path) : METHOD_FILE;
    const files = await openMethod(source.files, name, findings);
    return files && use({ ...source, files });
  };
  return withPackage(path, findings, expand, options);
}

export function invalidPackage(path: string, diagnostics: readonly Diagnostic[]): CrewError {
  const errors = diagnostics.filter((entry) => entry.severity === 'error').length;
  return new CrewError(
    'PACKAGE_INVALID',
    `"${path}" is not a valid package: ${errors} ${errors === 1 ? 'error' : 'errors'}.`,
    { details: { path, diagnostics } },
  );
}

function recordReads(files: PackageFiles, read: Set<string>): PackageFiles {
  return {
    paths: files.paths,
    read: (path) => {
      read.add(path);
      return files.read(path);
    },
  };
}

/** Assets, too, must be readable and intact. */
async function checkUnread(
  files: PackageFiles,
  read: ReadonlySet<string>,
  findings: Findings,
): Promise<void> {
  for (const path of files.paths) {
    if (read.has(path)) continue;
    const bytes = await readBytes(files, path);
    if (bytes instanceof DamagedFile) addDamaged(bytes, path, findings);
  }
}
