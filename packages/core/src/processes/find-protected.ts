/**
 * Finds the secret files and the git folders of a project, at any size and depth: `find` lists every entry. A failed or slow
 * listing is an error, so that nothing runs without the protection.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readlinkSync } from 'node:fs';
import { join, posix } from 'node:path';
import { bareEnvironment } from '../base/bare-environment.ts';
import { listTree } from '../base/list-tree.ts';
import { systemProgram } from './system-program.ts';

export interface ProtectedEntries {
  /** Files and folders that tools must not read, and other names of the same files. */
  readonly secrets: readonly string[];
  /** `.git` folders and files, the folders that `.git` links lead to, and bare repositories. */
  readonly gitFolders: readonly string[];
}

/** The protected entries are not known, with the reason. */
export class UnknownProtection extends Error {}

const MAX_MS = 20_000;
/** Kind and path. The kind is in the folder itself, so that `find` looks at no file. */
const ENTRIES = ['-name', 'objects', '-path', '*/.git/objects', '-prune', '-o', '-printf', '%y%P\\0'];
/** Files with several names: device, inode and path. */
const MANY_NAMES = ['-type', 'f', '-links', '+1', '-printf', '%D:%i/%P\\0'];

export type IsSecretEntry = (segments: readonly string[], isRegularFile?: boolean) => boolean;

export async function findProtected(project: string, isSecret: IsSecretEntry): Promise<ProtectedEntries> {
  const secrets: string[] = [];
  const git = new Set<string>();
  const headFolders: string[] = [];
  const folders = new Set<string>();
  const isSecretPath = createPathCheck(isSecret);
  await listEntries(project, ENTRIES, (entry) => {
    const kind = entry[0];
    const path = entry.slice(1);
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (kind !== 'l' && isSecretPath(path, name, kind === 'f')) secrets.push(path);
    if (name === '.git' || name.toLowerCase() === '.git')
      git.add(kind === 'l' ? targetOf(project, path) : path);
    else if (name === 'HEAD') headFolders.push(posix.dirname(path));
    else if (kind === 'd' && (name === 'objects' || name === 'refs')) folders.add(path);
  });
  secrets.push(...(await findOtherNames(project, secrets)));
  for (const folder of headFolders) {
    const isRepository = ['objects', 'refs'].every((name) => folders.has(posix.join(folder, name)));
    if (isRepository && folder !== '.') git.add(folder);
  }
  const found = {
    secrets: outermost(secrets),
    gitFolders: outermost([...git].filter((path) => path !== '')),
  };
  // A name that is not UTF-8 cannot be named again, so the entry could not be protected.
  const unnamed = [...found.secrets, ...found.gitFolders].find((path) => path.includes('\uFFFD'));
  if (unnamed !== undefined)
    throw new UnknownProtection(
      `"${unnamed}" must be protected, but its name is not valid UTF-8. Rename it.`,
    );
  return found;
}

/**
 * Most names are in many folders, and are checked once. What decides is the name, and the way to it from a folder that starts with
 * a dot (`.config/gh/hosts.yml`); whatever is in a secret folder is hidden with it.
 */
function createPathCheck(isSecret: IsSecretEntry): (path: string, name: string, isFile: boolean) => boolean {
  const known = new Map<string, boolean>();
  return (path, name, isFile) => {
    const dot = path.startsWith('.') ? 0 : path.lastIndexOf('/.') + 1;
    const relevant = path[dot] === '.' ? path.slice(dot) : name;
    const key = isFile ? relevant : `${relevant}/`;
    let answer = known.get(key);
    if (answer === undefined) {
      answer = isSecret(relevant.split('/'), isFile);
      known.set(key, answer);
    }
    return answer;
  };
}

/** Other names of the secret files, which lead to the same content. */
async function findOtherNames(project: string, secrets: readonly string[]): Promise<string[]> {
  const inodes = new Set<string>();
  for (const path of secrets) {
    const stats = lstatSync(join(project, path), { throwIfNoEntry: false });
    if (stats?.isFile() && stats.nlink > 1) inodes.add(`${stats.dev}:${stats.ino}`);
    // A secret folder may have a file with another name elsewhere.
    if (stats?.isDirectory())
      for (const inner of listTree(join(project, path))) {
        const file = lstatSync(join(project, path, inner.path), { throwIfNoEntry: false });
        if (file?.isFile() && file.nlink > 1) inodes.add(`${file.dev}:${file.ino}`);
      }
  }
  if (inodes.size === 0) return [];
  const names: string[] = [];
  await listEntries(project, MANY_NAMES, (entry) => {
    const end = entry.indexOf('/');
    if (inodes.has(entry.slice(0, end))) names.push(entry.slice(end + 1));
  });
  return names;
}

/** The folder of the project that a link leads to; empty if there is none. */
function targetOf(project: string, path: string): string {
  const target = posix.normalize(posix.join(posix.dirname(path), readlinkSync(join(project, path))));
  const stats = target.startsWith('..')
    ? undefined
    : lstatSync(join(project, target), { throwIfNoEntry: false });
  return stats?.isDirectory() || stats?.isFile() ? target : '';
}

/** Each once, without entries inside other ones. */
function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return [...all].filter((path) => {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      if (all.has(path.slice(0, end))) return false;
    return true;
  });
}

async function listEntries(
  project: string,
  args: readonly string[],
  onEntry: (entry: string) => void,
): Promise<void> {
  const child = spawn(systemProgram('find'), ['.', '-xdev', '-mindepth', '1', ...args], {
    cwd: project,
    env: { ...bareEnvironment(['PATH']), LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MAX_MS,
    killSignal: 'SIGKILL',
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(0, 100_000);
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  closed.catch(() => undefined);
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = text.lastIndexOf(0) + 1;
      rest = text.subarray(end);
      if (end > 0) for (const entry of text.toString('utf8', 0, end - 1).split('\0')) onEntry(entry);
    }
    const [code] = await closed;
    if (code === 0 || (code === 1 && stderr.split('\n').every(isHarmless))) return;
  } catch (error) {
    throw new UnknownProtection(
      `The secret files of the project could not be listed: ${(error as Error).message}.`,
    );
  }
  const why = stderr.split('\n').find((line) => line !== '' && !isHarmless(line)) ?? 'it took too long';
  throw new UnknownProtection(`The secret files of the project could not be listed: ${why.slice(0, 200)}.`);
}

/** A folder that we cannot read cannot be read in the sandbox either. */
function isHarmless(line: string): boolean {
  return line === '' || /: (?:Permission denied|No such file or directory)$/.test(line);
}
