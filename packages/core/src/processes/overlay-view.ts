/**
 * A view on Linux: an overlay over the project in a mount namespace of its own, in which bubblewrap is started. A shell holds the
 * namespace until its input is closed, which the end of this process does as well.
 */
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, linkSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { bareEnvironment } from '../base/bare-environment.ts';
import { isInside } from '../base/is-inside.ts';
import { removeTree } from '../base/remove-tree.ts';
import {
  INSIDE_HOME,
  INSIDE_PROJECT,
  SYSTEM_FOLDERS,
  TOOL_FOLDERS,
  toInsidePath,
  toInsideSearchPath,
} from './inside-paths.ts';
import type { NetworkGate } from './network-gate/network-gate.ts';
import type { SandboxAccess } from './sandbox-access.ts';
import { systemProgram } from './system-program.ts';
import type { View, ViewOptions } from './view.ts';
import { listViewChanges } from './view-changes.ts';

/**
 * Names are relative, so that no list of mounts contains a real path. `mask` has a whiteout for each hidden entry. A line of input
 * drops cached names of the overlay, so that changes of the project become visible.
 */
const HOLD = `mount --bind "$1" lower && mount -t overlay overlay -o userxattr,lowerdir=mask:lower,upperdir=upper,workdir=work merged || exit 1
echo ready; while read -r line; do mount -o remount merged 2>/dev/null; echo ready; done`;

/** Starts bubblewrap in the folder of the view. Descriptor 9 has its options, which may be longer than a command line. */
const ENTER =
  'cd "$1" || exit 127; bwrap=$2; shift 2; unset PWD OLDPWD; exec "$bwrap" --args 9 -- "$@" 7<passwd 8<group 9<options';

const PARTS = ['lower', 'mask', 'upper', 'work', 'merged'];

export async function openOverlayView(bubblewrap: string, { folder, access }: ViewOptions): Promise<View> {
  for (const name of PARTS) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'passwd'), PASSWD);
  writeFileSync(join(folder, 'group'), GROUP);
  const { project } = access;
  // The top folder of a layer is what the view shows of the project folder itself.
  const { mode } = lstatSync(project);
  for (const name of ['upper', 'mask']) chmodSync(join(folder, name), mode & 0o777);
  await maskHidden(join(folder, 'mask'), access);
  const holder = await startHolder(folder, project);
  const gate = await openGate(access).catch(async (error: unknown) => {
    await holder.end();
    throw error;
  });
  const reported = new Set<string>();
  const hidden = new Set(access.hidden);
  const real = { project, home: homedir() };
  return {
    folder,
    contents: join(folder, 'upper'),
    wrap(wrapped, cwd) {
      const files = { merged: 'merged', passwd: 7, group: 8, gate: gate?.binds };
      writeFileSync(join(folder, 'options'), `${toBubblewrapOptions(access, files, cwd).join('\0')}\0`);
      const { command, args } = gate?.wrap(wrapped) ?? wrapped;
      const inside = [command, ...args].map((word) =>
        word.startsWith('/') ? toInsidePath(word, real) : word,
      );
      return {
        command: systemProgram('nsenter'),
        args: [
          ...(isRoot() ? [] : ['--preserve-credentials', '--user']),
          ...['--mount', '--target', String(holder.pid), '--', '/bin/sh', '-c', ENTER, 'sh'],
          ...[folder, bubblewrap, ...inside],
        ],
        env: {
          HOME: INSIDE_HOME,
          USER: 'user',
          LOGNAME: 'user',
          TMPDIR: '/tmp',
          PATH: toInsideSearchPath(process.env.PATH ?? '', real, access.folders),
          ...gate?.env,
        },
        cwd: '/',
      };
    },
    refresh: () => holder.refresh(),
    takeRefusedHosts() {
      const fresh = (gate?.refused() ?? []).filter((host) => !reported.has(host));
      for (const host of fresh) reported.add(host);
      return fresh;
    },
    changes: () =>
      listViewChanges({
        project,
        layer: join(folder, 'upper'),
        merged: posix.join('/proc', String(holder.pid), 'root', folder, 'merged'),
        isHidden: (path) => hidden.has(path),
      }),
    async close({ keep } = { keep: false }) {
      await holder.end();
      await gate?.close();
      if (!keep) await removeTree(folder);
    },
  };
}

/** Loaded with the first program that may use the network. */
async function openGate({ hosts }: SandboxAccess): Promise<NetworkGate | undefined> {
  if (!hosts) return undefined;
  const { openNetworkGate } = await import('./network-gate/network-gate.ts');
  return openNetworkGate({ hosts });
}

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** A whiteout for each hidden entry, in folders with the permissions of the real ones. */
async function maskHidden(mask: string, { project, hidden }: SandboxAccess): Promise<void> {
  if (hidden.length === 0) return;
  const whiteout = join(dirname(mask), 'whiteout');
  await promisify(execFile)(systemProgram('mknod'), [whiteout, 'c', '0', '0'], {
    env: bareEnvironment(['PATH']),
  });
  const made = new Set<string>(['.']);
  const makeFolder = (path: string): void => {
    if (made.has(path)) return;
    makeFolder(posix.dirname(path));
    mkdirSync(join(mask, path));
    chmodSync(join(mask, path), lstatSync(join(project, path)).mode & 0o777);
    made.add(path);
  };
  for (const path of hidden) {
    makeFolder(posix.dirname(path));
    linkSync(whiteout, join(mask, path));
  }
}

async function startHolder(folder: string, project: string) {
  const args = [...(isRoot() ? [] : ['--user', '--map-root-user']), '--mount', '--propagation', 'private'];
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    systemProgram('unshare'),
    [...args, '/bin/sh', '-c', HOLD, 'sh', project],
    // A process group of its own: Ctrl+C in a terminal is for this process, which then ends the view.
    { cwd: folder, env: bareEnvironment(['PATH']), stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  );
  child.stdin.on('error', () => undefined);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString('utf8')).slice(0, 500)));
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      stderr ||= error.message;
      resolve();
    });
    child.once('close', () => resolve());
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const isReady = async (): Promise<boolean> => {
    const line = await Promise.race([lines.next(), ended.then(() => undefined)]);
    return line?.value === 'ready';
  };
  if (!(await isReady()) || child.pid === undefined) {
    await ended;
    throw new Error(stderr.trim().split('\n').at(-1) || 'the overlay could not be mounted');
  }
  return {
    pid: child.pid,
    async refresh(): Promise<void> {
      child.stdin.write('\n');
      if (!(await isReady())) throw new Error('The view of the project has ended.');
    },
    async end(): Promise<void> {
      child.stdin.end();
      await ended;
    },
  };
}

/** Readable for root, and of no use for a command. */
const PRIVATE_FOLDERS = ['/etc/ssh', '/etc/ssl/private', '/etc/sudoers.d', '/etc/NetworkManager'];
const PRIVATE_FILES = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/sudoers'];

/** The user of the sandbox. */
const USER_ID = '1000';
const PASSWD = `root:x:0:0:root:/:/bin/sh\nuser:x:${USER_ID}:${USER_ID}:user:${INSIDE_HOME}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`;
const GROUP = `root:x:0:\nuser:x:${USER_ID}:\nnogroup:x:65534:\n`;

interface BubblewrapFolders {
  /** Folder that is mounted as the project; relative to the folder in which bubblewrap is started. */
  readonly merged: string;
  /** Descriptors of what replaces files of the system: a file would be listed with its real path. */
  readonly passwd: number;
  /** Real paths of what the gate to the network needs inside. */
  readonly gate?: readonly string[] | undefined;
  readonly group: number;
}

/**
 * The view of the project can be written, programs and libraries can be read, and nothing else of the disk exists. Processes, IPC and
 * the network are separate. The sandbox ends with its parent.
 */
function toBubblewrapOptions(
  { project, folders, readOnly }: SandboxAccess,
  { merged, passwd, group, gate = [] }: BubblewrapFolders,
  cwd: readonly string[],
): string[] {
  const home = homedir();
  const real = { project, home };
  const readable = (paths: readonly string[]): string[] =>
    paths.flatMap((path) => ['--ro-bind-try', path, toInsidePath(path, real)]);
  // Folders of the project are already there.
  const further = folders.filter((folder) => !isInside(folder, project));
  const shown = [...SYSTEM_FOLDERS, ...further];
  const concealed = [project, home].filter((path) => shown.some((folder) => isInside(path, folder)));
  return [
    ...['--unshare-all', '--unshare-user', '--uid', USER_ID, '--gid', USER_ID, '--hostname', 'sandbox'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...readable(SYSTEM_FOLDERS),
    ...PRIVATE_FOLDERS.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', path]),
    ...PRIVATE_FILES.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...['--ro-bind-data', String(passwd), '/etc/passwd', '--ro-bind-data', String(group), '/etc/group'],
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp', '--tmpfs', INSIDE_HOME],
    ...readable(TOOL_FOLDERS.map((folder) => join(home, folder))),
    ...readable([...further, ...gate]),
    ...concealed.flatMap((path) => ['--tmpfs', path]),
    ...['--bind', merged, INSIDE_PROJECT],
    ...readOnly.flatMap((path) => ['--ro-bind', posix.join(merged, path), posix.join(INSIDE_PROJECT, path)]),
    ...['--unsetenv', 'TEMP', '--unsetenv', 'TMP', '--unsetenv', 'APPDATA', '--unsetenv', 'OLDPWD'],
    ...['--chdir', posix.join(INSIDE_PROJECT, ...cwd)],
  ];
}
