/**
 * A view on macOS: a clone of the project without its secret files, to which the seatbelt profile confines a program. Where the
 * disk cannot clone, files are copied. Not observed on a Mac.
 */
import { constants, readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { removeTree } from '../base/remove-tree.ts';
import { SEATBELT, toProfile } from './seatbelt.ts';
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
  for (const path of readdirSync(copy, { recursive: true }).map(String)) {
    const entry = statEntry(join(copy, path));
    if (entry && entry !== 'whiteout')
      stamps.set(path, entry.kind === 'folder' ? `folder ${entry.mode}` : entry.stamp);
  }
  return stamps;
}
