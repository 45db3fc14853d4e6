/**
 * Lists folders of this machine, for a person who chooses one. Never lists or opens files.
 */
import { mkdir, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, parse, resolve } from 'node:path';
import { CrewError } from '../../../base/crew-error.ts';
import { errnoOf, ifAllowed, withDiskErrors } from '../../../base/errno.ts';
import { segmentDanger } from '../../../base/file-names.ts';
import { makeFolders } from '../../../base/make-folders.ts';
import { mapLimit } from '../../../base/map-limit.ts';

export interface FolderList {
  readonly path: string;
  readonly parent?: string;
  readonly folders: readonly Folder[];
  /** Starting points. */
  readonly roots: readonly Folder[];
  /** The list is truncated. */
  readonly isCut: boolean;
}

export interface Folder {
  readonly name: string;
  readonly path: string;
}

const MAX_FOLDERS = 2_000;
const CONCURRENCY = 16;

/** Subfolders sorted by name; `path` defaults to the home folder. */
export async function listFolders(
  path: string = homedir(),
  { hidden = false }: { readonly hidden?: boolean } = {},
): Promise<FolderList> {
  const folder = requireLocalPath(path);
  const names = await namesOfFolders(folder);
  const shown = names.filter((name) => hidden || !name.startsWith('.')).sort((a, b) => a.localeCompare(b));
  const parent = dirname(folder);
  return {
    path: folder,
    parent: parent === folder ? undefined : parent,
    folders: shown.slice(0, MAX_FOLDERS).map((name) => ({ name, path: join(folder, name) })),
    roots: await listRoots(),
    isCut: shown.length > MAX_FOLDERS,
  };
}

/** Creates one folder in an existing one. */
export async function createFolder(parent: string, name: string): Promise<Folder> {
  const danger = segmentDanger(name);
  const isPlain = !/[/\\]|\p{Cc}/u.test(name) && name !== '.' && name !== '..' && name.trim() !== '';
  if (!isPlain || danger !== undefined || (process.platform === 'win32' && /[<>:"|?*]/.test(name)))
    throw new CrewError('USAGE', `"${name}" cannot be the name of a folder; choose a plain one.`);
  const path = join(requireLocalPath(parent), name);
  try {
    await mkdir(path);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST')
      throw new CrewError('TARGET_EXISTS', `"${name}" already exists; choose another name.`);
    if (errnoOf(error) === 'ENOENT') throw noFolder(parent);
    return withDiskErrors(`Could not create the folder "${name}"`, () => Promise.reject(error));
  }
  return { name, path };
}

/** Creates a folder and its parents if they do not exist. */
export async function makeFolder(path: string): Promise<void> {
  const folder = requireLocalPath(path);
  await withDiskErrors(`Could not create the folder "${path}"`, async () => makeFolders(folder));
}

export async function isFolder(path: string): Promise<boolean> {
  return (await ifAllowed(stat(path)))?.isDirectory() ?? false;
}

/** Rejects network shares: listing one would reveal the user's identity to its host. */
function requireLocalPath(path: string): string {
  if (!isAbsolute(path) || (process.platform === 'win32' && /^[\\/]{2}/.test(path)))
    throw new CrewError('USAGE', `"${path}" is not the full path of a folder on this machine.`);
  return resolve(path);
}

async function namesOfFolders(folder: string): Promise<string[]> {
  const failure = `Could not list "${folder}"`;
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const found = await mapLimit(entries, CONCURRENCY, async (entry) => {
      const isFolderEntry = entry.isSymbolicLink()
        ? await isFolder(join(folder, entry.name))
        : entry.isDirectory();
      return isFolderEntry ? entry.name : undefined;
    });
    return found.filter((name) => name !== undefined);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw noFolder(folder);
    return withDiskErrors(failure, () => Promise.reject(error));
  }
}

function noFolder(path: string): CrewError {
  return new CrewError('FOLDER_NOT_FOUND', `There is no folder at "${path}".`);
}

async function listRoots(): Promise<Folder[]> {
  const home = { name: 'Home', path: homedir() };
  if (process.platform !== 'win32') return [home, { name: '/', path: '/' }];
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${letter}:\\`);
  const found = await mapLimit(letters, CONCURRENCY, async (path) =>
    (await isFolder(path)) ? path : undefined,
  );
  return [
    home,
    ...found.filter((path) => path !== undefined).map((path) => ({ name: parse(path).root, path })),
  ];
}
