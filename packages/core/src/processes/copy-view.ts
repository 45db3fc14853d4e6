/**
 * A view on macOS: a clone of the project without its secret files, to which the seatbelt profile confines a program. Where the
 * disk cannot clone, files are copied. Not observed on a Mac.
 */
import { constants } from 'node:fs';
import { cp } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { removeTree } from '../base/remove-tree.ts';
import { SEATBELT, toProfile } from './seatbelt.ts';
import type { View, ViewEntry, ViewOptions } from './view.ts';
import { listViewChanges } from './view-changes.ts';

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
        isHidden: (path) => hidden.has(path),
        isSame,
      }),
    async close({ keep } = { keep: false }) {
      if (!keep) await removeTree(folder);
    },
  };
}

/** A program that resets the times of a file only keeps its change from being committed. */
function isSame(before: ViewEntry, after: ViewEntry): boolean {
  if (before.kind !== after.kind || before.mode !== after.mode) return false;
  return before.kind === 'folder' || (before.size === after.size && before.modifiedMs === after.modifiedMs);
}
