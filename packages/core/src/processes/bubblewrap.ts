/**
 * The options of bubblewrap (Linux): the view of the project can be written, programs and libraries can be read, and nothing else
 * of the disk exists. Processes, IPC and the network are separate. The sandbox ends with its parent.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix } from 'node:path';
import { isInside } from '../base/is-inside.ts';
import { INSIDE_HOME, INSIDE_PROJECT, toInsidePath } from './inside-paths.ts';
import type { SandboxAccess } from './sandbox-access.ts';
import { SYSTEM_FOLDERS, TOOL_FOLDERS } from './tool-folders.ts';

/** Readable for root, and of no use for a command. */
const PRIVATE_FOLDERS = ['/etc/ssh', '/etc/ssl/private', '/etc/sudoers.d', '/etc/NetworkManager'];
const PRIVATE_FILES = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/sudoers'];

/** The user of the sandbox. */
const USER_ID = '1000';
export const PASSWD = `root:x:0:0:root:/:/bin/sh\nuser:x:${USER_ID}:${USER_ID}:user:${INSIDE_HOME}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n`;
export const GROUP = `root:x:0:\nuser:x:${USER_ID}:\nnogroup:x:65534:\n`;

export interface BubblewrapFolders {
  /** Folder that is mounted as the project; relative to the folder in which bubblewrap is started. */
  readonly merged: string;
  /** Descriptors of what replaces files of the system: a file would be listed with its real path. */
  readonly passwd: number;
  /** Real paths of what the gate to the network needs inside. */
  readonly gate?: readonly string[] | undefined;
  readonly group: number;
}

export function toBubblewrapOptions(
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
