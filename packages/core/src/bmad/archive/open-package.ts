/**
 * Opens the package at a path: an archive, a folder, a method (its one-file form), or none of these.
 */
import { constants, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { FORMAT_VERSION } from '@crewagent/protocol/format';
import { CrewError } from '../../base/crew-error.ts';
import { errnoOf, errnoSentence } from '../../base/errno.ts';
import { isMethodFile, METHOD_FILE } from '../../base/method-file.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import type { Findings } from '../findings/findings.ts';
import { LIMITS } from './entry-rules.ts';
import { readFolder, readPlainFile } from './open-folder.ts';
import type { PackageFiles } from './package-files.ts';

export interface OpenPackage {
  readonly files: PackageFiles;
  /** Undefined for a folder and a method. */
  readonly archive: OpenArchive | undefined;
}

export type OpenArchive = Awaited<ReturnType<typeof watchArchive>>;

export interface OpenOptions {
  /** The name in messages; default: the path. */
  readonly shown?: string;
  /** A file in the folder that is not part of the package: the archive that is being written. */
  readonly exclude?: string;
  /** A folder of the store, which has no files of its author beside the package. */
  readonly isInstalled?: boolean;
  /** Texts of an editor, by path, that take the place of files of a folder. */
  readonly unsaved?: ReadonlyMap<string, string>;
}

/** Opens `path`, calls `use`, and closes it. Undefined, with findings, if it is not a usable package. */
export async function withPackage<T>(
  path: string,
  findings: Findings,
  use: (source: OpenPackage) => Promise<T>,
  options: OpenOptions = {},
): Promise<T | undefined> {
  const opened = await openPackage(path, findings, { shown: path, ...options });
  try {
    return opened && (await use(opened));
  } finally {
    await opened?.archive?.handle.close();
  }
}

async function openPackage(
  path: string,
  findings: Findings,
  { shown, ...options }: OpenOptions & { shown: string },
): Promise<OpenPackage | undefined> {
  let handle: FileHandle | undefined;
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) {
      const saved = await readFolder(path, findings, options);
      if (!saved) return undefined;
      const files = options.unsaved ? withUnsaved(saved, options.unsaved) : saved;
      const secrets = reportSecrets(files, findings);
      return { files: options.isInstalled ? files : without(files, secrets), archive: undefined };
    }
    if (!checkFile(shown, stats, findings)) return undefined;
    if (isMethodFile(path)) return { files: toMethodFiles(path), archive: undefined };
    handle = await open(path, constants.O_RDONLY);
    const archive = await watchArchive(handle, shown);
    // The zip library is loaded only for archives.
    const { readArchive } = await import('./open-archive.ts');
    const files = await readArchive(handle, shown, findings);
    if (files) reportSecrets(files, findings);
    if (files) return { files, archive };
  } catch (error) {
    if (!addOpenFailure(shown, error, findings)) {
      await handle?.close();
      throw error;
    }
  }
  await handle?.close();
  return undefined;
}

/** Only the file itself: what is beside it may be anything. */
function toMethodFiles(path: string): PackageFiles {
  return {
    paths: new Set([METHOD_FILE]),
    read: () => readPlainFile(dirname(path), basename(path), LIMITS.fileBytes),
  };
}

const isSecret = createSecretCheck();

function reportSecrets({ paths }: PackageFiles, findings: Findings): readonly string[] {
  // A folder that is not a package is reported as such, whatever else it contains.
  if (!paths.has('bmad.json') && !paths.has(METHOD_FILE)) return [];
  const secrets = [...paths].filter((path) => isSecret(path.split('/')));
  for (const file of secrets) {
    findings.add('SECRET_FILE', {
      file,
      message: 'a file with this name usually holds a secret, and models cannot read it',
      fix: 'Move it out of the package; if it holds no secret, give it another name.',
    });
  }
  return secrets;
}

function without(files: PackageFiles, left: readonly string[]): PackageFiles {
  if (left.length === 0) return files;
  const paths = new Set(files.paths);
  for (const path of left) paths.delete(path);
  return { ...files, paths };
}

function withUnsaved(files: PackageFiles, unsaved: ReadonlyMap<string, string>): PackageFiles {
  return {
    paths: new Set([...files.paths, ...unsaved.keys()]),
    read: async (path) => {
      const text = unsaved.get(path);
      return text === undefined ? files.read(path) : Buffer.from(text);
    },
  };
}

async function watchArchive(handle: FileHandle, path: string) {
  const before = await handle.stat({ bigint: true });
  return {
    handle,
    /** Throws if the archive was modified since it was opened. */
    async checkUnchanged() {
      const after = await handle.stat({ bigint: true });
      const isSame =
        after.mtimeNs === before.mtimeNs && after.ctimeNs === before.ctimeNs && after.size === before.size;
      if (!isSame)
        throw new CrewError('PACKAGE_CHANGED', `"${path}" changed while it was being read. Try again.`);
    },
  };
}

/** Whether the file may be an archive; adds a finding if not. */
function checkFile(file: string, stats: Stats, findings: Findings): boolean {
  if (isClassicWorkflow(file)) findings.add('CLASSIC_BMAD', { file, ...describeClassic('this') });
  else if (!stats.isFile())
    findings.add('NOT_AN_ARCHIVE', {
      file,
      message: 'this is neither a file nor a folder',
      fix: 'Use a .bmad or .zip file, or the folder that contains bmad.json.',
    });
  else if (stats.size > LIMITS.archiveBytes)
    findings.add('PACKAGE_TOO_LARGE', {
      file,
      message: `the file is larger than ${LIMITS.archiveBytes / 1024 / 1024} MiB, the limit of a package`,
      fix: 'Leave large material out of the package and let the workflow read it from the project.',
    });
  else return true;
  return false;
}

function addOpenFailure(path: string, error: unknown, findings: Findings): boolean {
  const code = errnoOf(error);
  if (code === undefined) return false;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    findings.add('NOT_FOUND', {
      file: path,
      message: 'there is no such file or folder',
      fix: 'Check the path; it is relative to the current folder.',
    });
  } else {
    findings.add('NOT_READABLE', {
      file: path,
      message: `it cannot be read: ${errnoSentence(error)}`,
      fix: 'Make the file readable and try again.',
    });
  }
  return true;
}

/**
 * Whether a path that should lead to a workflow.md leads to a classic workflow: a workflow.yaml (or .xml) and instructions, without
 * a graph. Recognised by file name, and described the same way everywhere.
 */
export function isClassicWorkflow(path: string): boolean {
  return /\.(?:ya?ml|xml)$/i.test(path);
}

/** The file that identifies a folder as classic BMAD. */
export function findClassicFile(paths: Iterable<string>): string | undefined {
  return [...paths].find((path) => /(?:^|\/)(?:workflow|module)\.(?:ya?ml|xml)$|\.agent\.ya?ml$/i.test(path));
}

/** `what` is the subject of the sentence: the file, or "this". */
export function describeClassic(what: string): { message: string; fix: string } {
  return {
    message: `${what} is a classic BMAD workflow (workflow.yaml and instructions), not a .bmad package of format ${FORMAT_VERSION}`,
    fix: 'Convert it first: "crewagent import DIR" creates a package from its module.',
  };
}
