/**
 * A command inside bubblewrap (Linux): the project can be written, programs and libraries can be read, and nothing else of the
 * disk exists. Processes, IPC and, unless allowed, the network are separate. The sandbox ends with its parent.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { SandboxAccess, WrappedCommand } from './sandbox-access.ts';
import { TOOL_FOLDERS } from './tool-folders.ts';

/** A fixed path: another program of this name in PATH could pretend to be the sandbox. */
const PROGRAMS = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix',
  '/gnu',
];

/** Readable for root, and of no use for a command. */
const PRIVATE_FOLDERS = ['/etc/ssh', '/etc/ssl/private', '/etc/sudoers.d', '/etc/NetworkManager'];
const PRIVATE_FILES = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/sudoers'];

/** `/etc/resolv.conf` is often a link to one of these. */
const NAME_SERVICE = ['/run/systemd/resolve', '/run/resolvconf'];

export function findBubblewrap(): string | undefined {
  return PROGRAMS.find((program) => existsSync(program));
}

export function wrapInBubblewrap(
  program: string,
  { command, args }: WrappedCommand,
  { cwd, access }: { readonly cwd: string; readonly access: SandboxAccess },
): WrappedCommand {
  const { project, network, folders, readOnly, hidden } = access;
  const home = homedir();
  const readable = (paths: readonly string[]): string[] =>
    paths.flatMap((path) => ['--ro-bind-try', path, path]);
  const options = [
    '--unshare-all',
    ...(network ? ['--share-net'] : []),
    '--die-with-parent',
    '--new-session',
    ...['--cap-drop', 'ALL'],
    ...readable(SYSTEM),
    ...PRIVATE_FOLDERS.filter((path) => existsSync(path)).flatMap((path) => ['--tmpfs', path]),
    ...PRIVATE_FILES.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...(network ? readable(NAME_SERVICE) : []),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp', '--tmpfs', home],
    ...readable(TOOL_FOLDERS.map((folder) => join(home, folder))),
    ...readable(folders),
    ...['--bind', project, project],
    ...readable(readOnly),
    ...hidden.flatMap(({ path, isFolder }) =>
      isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...['--setenv', 'TMPDIR', '/tmp', '--chdir', cwd],
  ];
  return { command: program, args: [...options, '--', command, ...args] };
}
