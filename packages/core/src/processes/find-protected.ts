/**
 * Finds the secret files and the git folders of a project, at any size and depth: `find` lists every entry. A failed or slow
 * listing is an error, so that nothing runs without the protection.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readlinkSync } from 'node:fs';
import { join, posix } from 'node:path';
import { bareEnvironment } from '../base/bare-environment.ts';
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
/** Kind, number of names, device and inode, path. */
const FORMAT = '%y %n %D:%i %P\\0';
/** Objects of git are neither secret files nor repositories. */
const ARGS = ['.', '-xdev', '-mindepth', '1', '-path', '*/.git/objects/*', '-prune', '-o', '-printf', FORMAT];

export async function findProtected(
  project: string,
  isSecret: (segments: readonly string[]) => boolean,
): Promise<ProtectedEntries> {
  const secrets: string[] = [];
  const git = new Set<string>();
  const headFolders: string[] = [];
  const folders = new Set<string>();
  const manyNames: { readonly path: string; readonly inode: string }[] = [];
  const secretInodes = new Set<string>();
  await listEntries(project, (kind, names, inode, path) => {
    const segments = path.split('/');
    const name = segments.at(-1) ?? '';
    const isFile = kind === 'f';
    if (kind !== 'l' && isSecret(segments)) {
      secrets.push(path);
      if (isFile && names !== '1') secretInodes.add(inode);
    } else if (isFile && names !== '1') manyNames.push({ path, inode });
    if (name.toLowerCase() === '.git') git.add(kind === 'l' ? targetOf(project, path) : path);
    else if (name === 'HEAD') headFolders.push(posix.dirname(path));
    if (kind === 'd' && (name === 'objects' || name === 'refs')) folders.add(path);
  });
  for (const { path, inode } of manyNames) if (secretInodes.has(inode)) secrets.push(path);
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

/** The folder of the project that a link leads to; empty if there is none. */
function targetOf(project: string, path: string): string {
  const target = posix.normalize(posix.join(posix.dirname(path), readlinkSync(join(project, path))));
  const stats = target.startsWith('..')
    ? undefined
    : lstatSync(join(project, target), { throwIfNoEntry: false });
  return stats?.isDirectory() || stats?.isFile() ? target : '';
}

/** Without entries inside other ones. */
function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      if (all.has(path.slice(0, end))) return false;
    return true;
  });
}

type OnEntry = (kind: string, names: string, inode: string, path: string) => void;

async function listEntries(project: string, onEntry: OnEntry): Promise<void> {
  const child = spawn(systemProgram('find'), ARGS, {
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
      if (end > 0) parseEntries(text.toString('utf8', 0, end - 1), onEntry);
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

function parseEntries(text: string, onEntry: OnEntry): void {
  for (const entry of text.split('\0')) {
    const [kind = '', names = '', inode = ''] = entry.split(' ', 3);
    onEntry(kind, names, inode, entry.slice(kind.length + names.length + inode.length + 3));
  }
}

/** A folder that we cannot read cannot be read in the sandbox either. */
function isHarmless(line: string): boolean {
  return line === '' || /: (?:Permission denied|No such file or directory)$/.test(line);
}
