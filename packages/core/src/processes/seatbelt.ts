/**
 * The profile of the macOS sandbox (`sandbox-exec`): the copy of the project and temporary files can be written, home folders and
 * other disks cannot be read apart from the copy and folders with tools. Written from Apple's documentation; not observed on a Mac.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { SandboxAccess } from './sandbox-access.ts';
import { TOOL_FOLDERS } from './tool-folders.ts';

export const SEATBELT = '/usr/bin/sandbox-exec';

/** The last rule that matches applies. */
export function toProfile({ project, hosts, folders, readOnly }: Omit<SandboxAccess, 'hidden'>): string {
  const home = homedir();
  const paths = (list: readonly string[]): string => list.map((path) => `(subpath ${quote(path)})`).join(' ');
  const rule = (action: string, filter: string): string[] => (filter === '' ? [] : [`(${action} ${filter})`]);
  const tools = TOOL_FOLDERS.map((folder) => join(home, folder));
  return [
    '(version 1)',
    '(allow default)',
    ...(hosts ? [] : ['(deny network*)']),
    '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.pasteboard.1"))',
    '(deny file-write*)',
    ...rule('allow file-write*', paths([project, '/private/tmp', '/private/var/folders', '/dev'])),
    ...rule(
      'deny file-read-data',
      paths(['/Users', '/Volumes', home, '/private/tmp', '/private/var/folders']),
    ),
    ...rule('allow file-read-data', paths([project, ...tools, ...folders])),
    ...rule('deny file-write*', paths(readOnly.map((path) => join(project, path)))),
  ].join('\n');
}

function quote(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&')}"`;
}
