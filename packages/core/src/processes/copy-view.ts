/**
 * A view on macOS: a clone of the project without its secret files, to which the seatbelt profile confines a program. Where the
 * disk cannot clone, files are copied. Not observed on a Mac.
 */
import { constants } from 'node:fs';
import { cp } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { listTree } from '../base/list-tree.ts';
import { removeTree } from '../base/remove-tree.ts';
import { TOOL_FOLDERS } from './inside-paths.ts';
import type { SandboxAccess } from './sandbox-access.ts';
import type { View, ViewOptions } from './view.ts';
import { listViewChanges, statEntry } from './view-changes.ts';

export async function openCopyView({ folder, access }: ViewOptions): Promise<View> {
  const { project } = access;
  const copy = join(folder, 'upper');
  const hidden = new Set(access.hidden);
  await cp(project, copy, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => !hidden.has(relative(project, path)),
  });
  const copied = stampsIn(copy);
  return {
    folder,
    contents: copy,
    wrap: ({ command, args }, cwd) => ({
      command: SEATBELT,
      args: ['-p', toProfile({ ...access, project: copy }), command, ...args],
      env: { HOME: homedir() },
      cwd: join(copy, ...cwd),
    }),
    refresh: () => Promise.resolve(),
    takeRefusedHosts: () => [],
    changes: () =>
      listViewChanges({
        project,
        layer: copy,
        merged: copy,
        // An entry that somebody else created since was never in the copy.
        isHidden: (path) => !copied.has(path),
        isUntouched: (path, { kind, stamp, mode }) =>
          copied.get(path) === (kind === 'folder' ? `folder ${mode}` : stamp),
      }),
    async close({ keep } = { keep: false }) {
      if (!keep) await removeTree(folder);
    },
  };
}

/** What each entry of the copy is before a program runs. The times of a folder change with its entries. */
function stampsIn(copy: string): ReadonlyMap<string, string> {
  const stamps = new Map<string, string>();
  for (const { path } of listTree(copy)) {
    const entry = statEntry(join(copy, path));
    if (entry && entry !== 'whiteout')
      stamps.set(path, entry.kind === 'folder' ? `folder ${entry.mode}` : entry.stamp);
  }
  return stamps;
}

const SEATBELT = '/usr/bin/sandbox-exec';

/**
 * The copy of the project and temporary files can be written, home folders and other disks cannot be read apart from the copy and
 * folders with tools. The last rule that matches applies. Written from Apple's documentation; not observed on a Mac.
 */
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
