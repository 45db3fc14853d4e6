/**
 * A cgroup (version 2) of its own for each process tree, where this user may make one: what is started in it stays in it, also after
 * leaving its session and clearing its environment, and is killed as a whole. Linux only.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf, ifSystemAllows } from '../base/errno.ts';

/** Killed processes are counted until the system has removed them; one that waits for a broken disk stays for longer. */
const MAX_MS = 5_000;
const PAUSE_MS = 2;

/** Makes a cgroup for a new process tree. The first process enters it by writing 0 to `cgroup.procs`. Undefined if there is none. */
export function createCgroup(id: string): string | undefined {
  parent ??= { folder: findParent() };
  if (parent.folder === undefined) return undefined;
  const folder = join(parent.folder, `${namePrefix()}${process.pid}-${id}`);
  return succeeds(() => mkdirSync(folder)) ? folder : undefined;
}

/** Kills all processes in the cgroup, and removes it. Returns false if it does not exist: the process tree could not enter it. */
export async function endCgroup(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const endMs = performance.now() + MAX_MS;
  for (;;) {
    killAll(folder);
    if (removeTree(folder) || performance.now() > endMs) return true;
    await sleep(PAUSE_MS);
  }
}

let parent: { readonly folder: string | undefined } | undefined;

/** The cgroup of this process, if it can have others inside and processes can be moved there. */
function findParent(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const [, path] = /^0::(\/.*)$/m.exec(readText('/proc/self/cgroup')) ?? [];
  // Field 5 is where it is mounted: alone, or beside the cgroups of version 1.
  const [, mount] = /^\S+ \S+ \S+ \/ (\S+) .*- cgroup2 /m.exec(readText('/proc/self/mountinfo')) ?? [];
  if (path === undefined || mount === undefined) return undefined;
  const folder = join(mount, path);
  const isWritable = (name: string): boolean =>
    succeeds(() => accessSync(join(folder, name), constants.W_OK));
  if (!isWritable('.') || !isWritable('cgroup.procs')) return undefined;
  removeLeftovers(folder);
  return folder;
}

/** The owner is known by its number only in the namespace it was given in. */
function namePrefix(): string {
  const [namespace = ''] = /\d+/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
  return `crewagent-${namespace}-`;
}

/** Of processes that were killed together with the shell that watched them. */
function removeLeftovers(folder: string): void {
  const prefix = namePrefix();
  for (const inner of foldersIn(folder)) {
    const name = basename(inner);
    const owner = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : 0;
    if (owner > 0 && !succeeds(() => process.kill(owner, 0), 'EPERM')) void endCgroup(inner);
  }
}

function killAll(folder: string): void {
  if (succeeds(() => writeFileSync(join(folder, 'cgroup.kill'), '1'))) return;
  // Before Linux 5.14. A process may start others meanwhile: the caller repeats this until none is left.
  for (const pid of readText(join(folder, 'cgroup.procs')).split('\n').filter(Boolean))
    succeeds(() => process.kill(Number(pid), 'SIGKILL'));
  for (const inner of foldersIn(folder)) killAll(inner);
}

/** Processes in the cgroup may have made others in it. */
function removeTree(folder: string): boolean {
  for (const inner of foldersIn(folder)) removeTree(inner);
  return succeeds(() => rmdirSync(folder), 'ENOENT');
}

function foldersIn(folder: string): string[] {
  const entries = ifSystemAllows(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

function readText(file: string): string {
  return ifSystemAllows(() => readFileSync(file, 'utf8')) ?? '';
}

/** False if the system refuses, unless for a reason that is as good as success. */
function succeeds(work: () => unknown, alsoIf?: string): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return errnoOf(error) === alsoIf;
  }
}
