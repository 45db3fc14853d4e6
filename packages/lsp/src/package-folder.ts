/**
 * One package folder as an editor sees it: its files with the unsaved texts on top, what they define, and what validation finds.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createFindings,
  inspectPackage,
  METHOD_FILE,
  type ValidationContext,
  withPackage,
} from '@crewagent/core';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import { type Definition, indexFile, type PackageIndex } from './package-index.ts';

export interface PackageView {
  readonly index: PackageIndex;
  readonly diagnostics: readonly Diagnostic[];
}

/** Unsaved text by path in the package. */
export type UnsavedTexts = ReadonlyMap<string, string>;

export async function readPackageFolder(
  root: string,
  context: ValidationContext,
  unsaved: UnsavedTexts,
): Promise<PackageView> {
  const options = { unsaved };
  const { diagnostics, advice } = await inspectPackage(root, context, options);
  const index = await withPackage(root, createFindings(), ({ files }) => toIndex(files), options);
  return {
    diagnostics: [...diagnostics, ...advice],
    index: index ?? { paths: new Set(), definitions: [] },
  };
}

type PackageFiles = Parameters<Parameters<typeof withPackage>[2]>[0]['files'];

async function toIndex({ paths, read }: PackageFiles): Promise<PackageIndex> {
  const definitions: Definition[] = [];
  for (const path of paths) {
    if (!/\.(?:md|json)$/.test(path)) continue;
    // A file that cannot be read defines nothing; validation has said so.
    const bytes = await read(path).catch(() => undefined);
    if (bytes) definitions.push(...indexFile(path, bytes.toString('utf8')));
  }
  return { paths, definitions };
}

/** The folder of the package that a file belongs to: the nearest with a bmad.json or a method. */
export function findPackageFolder(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'bmad.json')) || isMethod(join(folder, METHOD_FILE))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

const MAX_HEAD = 4_096;

/** A Markdown file of the same name that is something else has no frontmatter with a name. */
function isMethod(file: string): boolean {
  if (!existsSync(file)) return false;
  const head = readFileSync(file, 'utf8').slice(0, MAX_HEAD);
  return /^\uFEFF?---\s*\n(?:.*\n)*?name *:/.test(head);
}

export function toPackagePath(root: string, file: string): string {
  return relative(root, file).split(sep).join('/');
}

export function toUri(root: string, path: string): string {
  return pathToFileURL(join(root, path)).href;
}
