/**
 * What a view changed: the entries of its own layer, and the entries of the project that the view no longer has. Complete at any
 * size. Content is not compared.
 */
import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { kindOf } from '../base/entry-kind.ts';
import { errnoOf, ifSystemAllows } from '../base/errno.ts';
import type { ViewChange, ViewEntry } from './view.ts';

export interface ViewLayers {
  readonly project: string;
  /** Folder with the entries that the view wrote; in a copy, with all entries. */
  readonly layer: string;
  /** Folder with everything that the view shows. */
  readonly merged: string;
  /** Whether the view never showed this entry of the project. */
  isHidden(path: string): boolean;
  /** Whether an entry of the layer is one that no program wrote. */
  isUntouched?(path: string, entry: ViewEntry): boolean;
}

/** Children before their folder where entries are removed, folders before their children where they are created. */
export function listViewChanges(layers: ViewLayers): ViewChange[] {
  const changes: ViewChange[] = [];
  compareFolder(layers, '', true, changes);
  return changes;
}

function compareFolder(
  layers: ViewLayers,
  folder: string,
  isInProject: boolean,
  changes: ViewChange[],
): void {
  const { project, layer, merged, isHidden, isUntouched } = layers;
  const names = namesIn(join(layer, folder));
  if (isInProject) {
    const shown = new Set(namesIn(join(merged, folder)));
    for (const name of namesIn(join(project, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (!shown.has(name) && !isHidden(path)) addRemoved(layers, path, changes);
    }
  }
  for (const name of names) {
    const path = folder === '' ? name : `${folder}/${name}`;
    const after = statEntry(join(layer, path));
    if (!after || after === 'whiteout') continue;
    const found = isInProject ? statEntry(join(project, path)) : undefined;
    const before = found === 'whiteout' ? undefined : found;
    const isReplacement = before?.kind === 'folder' && after.kind !== 'folder';
    if (isReplacement) addRemoved(layers, path, changes);
    const old = isReplacement ? undefined : before;
    if (!isUntouched?.(path, after)) changes.push({ path, before: old, after, isReplacement });
    if (after.kind === 'folder') compareFolder(layers, path, before?.kind === 'folder', changes);
  }
}

function addRemoved(layers: ViewLayers, path: string, changes: ViewChange[]): void {
  const before = statEntry(join(layers.project, path));
  if (!before || before === 'whiteout') return;
  if (before.kind === 'folder')
    for (const name of namesIn(join(layers.project, path))) addRemoved(layers, `${path}/${name}`, changes);
  changes.push({ path, before, after: undefined });
}

/** An unreadable folder is empty: programs in the view cannot read it either. */
function namesIn(folder: string): string[] {
  return ifSystemAllows(() => readdirSync(folder).sort()) ?? [];
}

/** `whiteout`: how an overlay marks a removed entry in its layer. An entry that cannot be named is a special one. */
export function statEntry(path: string): ViewEntry | 'whiteout' | undefined {
  const stats = lstatIfNameable(path);
  if (!stats) return undefined;
  if (stats === 'unnameable') return { kind: 'special', mode: 0, size: 0, stamp: '', changedNs: 0n };
  if (stats.isCharacterDevice() && stats.rdev === 0n) return 'whiteout';
  const kind = kindOf(stats);
  const { ino, size, mode, mtimeNs, ctimeNs } = stats;
  return {
    kind,
    mode: Number(mode) & 0o7777,
    size: Number(size),
    stamp: `${kind} ${ino} ${size} ${mtimeNs} ${ctimeNs}`,
    changedNs: ctimeNs,
  };
}

/** Programs can nest folders deeper than a path can be long. */
function lstatIfNameable(path: string): BigIntStats | 'unnameable' | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return errnoOf(error) === 'ENAMETOOLONG' ? 'unnameable' : undefined;
  }
}
