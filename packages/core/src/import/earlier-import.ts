/**
 * An earlier import in the same folder: what its package was, where its source is, and which version follows. The place of a source
 * is stored in the folder `.crewagent-import`, which is never packed.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ImportReport } from '@crewagent/protocol/import-report';
import { parseJson } from '@crewagent/protocol/json-object';
import type { PackageChanges } from '@crewagent/protocol/package-changes';
import {
  type PackageOrigin,
  packageOriginSchema,
  type SourcePlace,
} from '@crewagent/protocol/package-origin';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent } from '../base/errno.ts';
import { isOnDisk, readIfPresent } from '../base/small-files.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import type { WorkflowPackage } from '../bmad/check/workflow-package.ts';
import {
  comparePackages,
  describeChanges,
  type PackageVersion,
  toPackageVersion,
} from '../bmad/compare-packages.ts';
import { inspectPackage } from '../bmad/load-package.ts';
import type { ConvertOptions } from './convert-source.ts';
import type { PackageContents } from './package-files.ts';
import { createImportNotes } from './source/import-notes.ts';
import type { SourceTree } from './source/read-source.ts';
import { parseSourceYaml } from './source/source-yaml.ts';
import { MEMORY_FOLDER, ORIGIN_FILE, readReport } from './write-import.ts';

export interface EarlierVersion {
  /** Versions in the manifest: as imported, and with a person's edits. */
  readonly imported: string | undefined;
  readonly edited: string | undefined;
  /** Of the source. */
  readonly sha256: string | undefined;
}

export interface EarlierImport extends EarlierVersion {
  readonly report: ImportReport | undefined;
  /** The package with a person's edits; undefined if it is not valid. */
  readonly version: PackageVersion | undefined;
}

/** Undefined if the folder has no earlier import. */
export async function readEarlierImport(
  folder: string,
  context: ValidationContext,
): Promise<EarlierImport | undefined> {
  if (!isOnDisk(join(folder, MEMORY_FOLDER))) return undefined;
  const { package: valid } = await inspectPackage(folder, context);
  const report = await readReport(folder);
  return {
    report,
    sha256: report?.source.sha256,
    version: valid && (await readFolderVersion(folder, valid)),
    imported: await readManifestVersion(join(folder, MEMORY_FOLDER)),
    edited: await readManifestVersion(folder),
  };
}

export function readFolderVersion(folder: string, valid: WorkflowPackage): Promise<PackageVersion> {
  return toPackageVersion(valid, (path) => readFile(join(folder, path)));
}

export function notImported(folder: string): CrewError {
  return new CrewError(
    'USAGE',
    `"${folder}" is not a folder that "crewagent import" wrote, so there is nothing to update. Import the source with -o.`,
  );
}

async function readManifestVersion(folder: string): Promise<string | undefined> {
  return versionIn(parseJson((await ifPresent(readFile(join(folder, 'bmad.json'), 'utf8'))) ?? ''));
}

const FIRST = '0.1.0';
/** Files of a source that can say its version. */
const VERSION_FILES = ['package.json', 'plugin.json', 'module.yaml', 'config.yaml'];

/**
 * A person's version stays. Otherwise the tag of the source, or the version that it states; a source that states none gets the next
 * version when its content differs.
 */
export function chooseVersion(
  tree: SourceTree,
  now: { earlier: EarlierVersion | undefined; place: SourcePlace | undefined; sha256: string },
): string {
  const { imported, edited, sha256 } = now.earlier ?? {};
  if (edited !== undefined && edited !== imported) return edited;
  const tag = now.place?.kind === 'git' ? toVersion(now.place.ref) : undefined;
  const stated = tag ?? VERSION_FILES.map((file) => statedVersion(tree, file)).find(Boolean);
  if (stated !== undefined) return stated;
  const before = toVersion(imported);
  if (before === undefined) return FIRST;
  const isSame = sha256 === undefined || sha256 === now.sha256;
  return isSame ? before : before.replace(/\d+$/, (patch) => String(Number(patch) + 1));
}

/** The three numbers of a version or tag, such as v6.0.1. */
export function toVersion(text: string | undefined): string | undefined {
  return /^v?(\d{1,6}\.\d{1,6}\.\d{1,6})(?:[-+].*)?$/.exec(text ?? '')?.[1];
}

function statedVersion(tree: SourceTree, file: string): string | undefined {
  const text = tree.text(file);
  if (text === undefined) return undefined;
  const fields = file.endsWith('.json')
    ? parseJson(text)
    : parseSourceYaml(text, file, createImportNotes())?.fields;
  return toVersion(versionIn(fields));
}

function versionIn(value: unknown): string | undefined {
  const { version } = { ...(value as { version?: unknown } | undefined) };
  return typeof version === 'string' ? version : undefined;
}

export function setVersion(files: PackageContents, version: string): void {
  const manifest = files.get('bmad.json');
  const fields = { ...(parseJson(manifest?.toString() ?? '') as object), version };
  files.set('bmad.json', `${JSON.stringify(fields, null, 2)}\n`);
}

/** Undefined if there was no valid package before or there is none now, and if nothing changed. */
export function toChanges(
  earlier: EarlierImport | undefined,
  version: PackageVersion | undefined,
): PackageChanges | undefined {
  if (!earlier?.version || !version) return undefined;
  const changes = comparePackages(earlier.version, version);
  return describeChanges(changes).length > 0 || changes.from !== changes.to ? changes : undefined;
}

/** What a report says of the place: never a path of this machine. */
export function toGitFacts(place: SourcePlace | undefined): ImportReport['source']['git'] {
  return place?.kind === 'git' ? { url: place.url, ref: place.ref, commit: place.commit } : undefined;
}

export async function writeOrigin(
  folder: string,
  place: SourcePlace,
  { sha256, module, workflows, packageName }: ConvertOptions & { readonly sha256: string },
): Promise<void> {
  const origin: PackageOrigin = {
    schemaVersion: 1,
    place,
    sha256,
    conversion: {
      module,
      workflows: workflows && [...workflows],
      packageName,
      folder: resolve(folder),
    },
  };
  await writeFile(join(folder, MEMORY_FOLDER, ORIGIN_FILE), `${JSON.stringify(origin, null, 2)}\n`);
}

/** The origin that an import recorded in the folder of a package; undefined if there is none. */
export async function readOrigin(folder: string): Promise<PackageOrigin | undefined> {
  const file = join(folder, MEMORY_FOLDER, ORIGIN_FILE);
  // A packed package is no folder.
  const text = isOnDisk(file) ? readIfPresent(file) : undefined;
  const origin = packageOriginSchema.safeParse(parseJson(text ?? '')).data;
  // The folder may have been moved since.
  return origin && { ...origin, conversion: { ...origin.conversion, folder: resolve(folder) } };
}
