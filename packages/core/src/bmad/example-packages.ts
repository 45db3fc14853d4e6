/**
 * Example packages that come with the program: archives in a folder next to it, identified by file name. Without such a folder
 * there are none.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toPackageTitle } from '@crewagent/protocol/package-title';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { sha256Of } from '../base/sha256.ts';
import type { UserStore } from '../store/store.ts';
import type { ValidationContext } from './check/validate-package.ts';
import type { WorkflowPackage } from './check/workflow-package.ts';
import { type ImportResult, importPackage } from './import-package.ts';
import { listInstalled } from './installed-packages.ts';
import { inspectPackage } from './load-package.ts';

export interface ExampleDeps {
  /** Undefined if the program came without examples. */
  readonly folder: string | undefined;
  readonly store: Pick<UserStore, 'packages' | 'policy'>;
  readonly context: ValidationContext;
}

export interface ExamplePackage {
  /** Identifies the example. */
  readonly example: string;
  readonly name: string;
  /** For people. */
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  /** For everyday work, with sample documents; the others show the format. */
  readonly isMethod: boolean;
  /** Set if the example is already installed. */
  readonly installedHash?: string;
}

/** Those for people first, then those that show the format, sorted by name. */
export async function listExamples(deps: ExampleDeps): Promise<ExamplePackage[]> {
  return (await loadExamples(deps)).map(({ example, installedHash, loaded }) => {
    const { name, version, description } = loaded.manifest;
    const title = toPackageTitle({ name, title: loaded.about?.title }, loaded.workflows);
    return { example, name, title, version, description, isMethod: isMethod(example), installedHash };
  });
}

interface LoadedExample extends Pick<ExamplePackage, 'example' | 'installedHash'> {
  readonly loaded: WorkflowPackage;
}

/** With their contents. Skips damaged examples, which only we can fix. */
export async function loadExamples({ folder, store, context }: ExampleDeps): Promise<LoadedExample[]> {
  const installed = new Set((await listInstalled(store)).map(({ hash }) => hash));
  const examples: LoadedExample[] = [];
  for (const [example, archive] of await archivesIn(folder)) {
    const loaded = (await inspectPackage(archive, context)).package;
    if (!loaded) continue;
    const hash = sha256Of(await withDiskErrors('Could not read an example', () => readFile(archive)));
    const installedHash = installed.has(hash) ? hash : undefined;
    examples.push({ example, installedHash, loaded });
  }
  return examples;
}

export async function installExample(
  example: string,
  { folder, store, context }: ExampleDeps,
): Promise<ImportResult> {
  // Looked up by name in the listing, so that no name becomes a path.
  const archive = (await archivesIn(folder)).get(example);
  if (archive === undefined) throw new CrewError('NOT_FOUND', `There is no example "${example}".`);
  return importPackage(archive, store, context, { shown: example, signer: 'skip' });
}

const ARCHIVE = /^([a-z0-9][a-z0-9.-]{0,99})\.bmad$/;

async function archivesIn(folder: string | undefined): Promise<ReadonlyMap<string, string>> {
  if (folder === undefined) return new Map();
  const names = (await namesIn(folder)).flatMap((file) => ARCHIVE.exec(file)?.[1] ?? []);
  const sorted = names.sort().toSorted((one, other) => rankOf(one) - rankOf(other));
  return new Map(sorted.map((name) => [name, join(folder, `${name}.bmad`)]));
}

/** Methods for everyday work, in the order in which they are offered. */
const METHODS = [
  'meeting-decisions',
  'product-brief',
  'research-brief',
  'contract-review',
  'hiring-scorecard',
  'incident-report',
];

function isMethod(name: string): boolean {
  return rankOf(name) < METHODS.length;
}

function rankOf(name: string): number {
  const rank = METHODS.findIndex((method) => name === method || name.startsWith(`${method}-`));
  return rank === -1 ? METHODS.length : rank;
}

async function namesIn(folder: string): Promise<string[]> {
  return withDiskErrors('Could not look for examples', async () => {
    try {
      return await readdir(folder);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
      throw error;
    }
  });
}
