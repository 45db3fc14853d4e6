/**
 * What lies in a folder of the project or of a package, by name, for a person who is about to mention it. Nothing hidden,
 * and nothing that is not inside.
 */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { hasInvisible } from '@crewagent/protocol/plain-text';

const MOST_LISTED = 1_000;

/** `folder` is relative to the root and ends in `/`, or is empty. No names where it cannot be listed. */
export async function listFolder(root: string, folder: string): Promise<readonly string[]> {
  if (folder !== '' && !folder.endsWith('/')) return [];
  const parts = folder.split('/').slice(0, -1);
  if (parts.some((part) => part === '' || part.startsWith('.') || /[\\:\0]/.test(part))) return [];
  try {
    const inside = await realpath(root);
    const place = await realpath(join(root, ...parts));
    if (!isInside(place, inside)) return [];
    const entries = (await readdir(place, { withFileTypes: true })).filter(isShown).slice(0, MOST_LISTED);
    const names = await Promise.all(entries.map((entry) => toName(entry, place, inside)));
    return names.filter((name) => name !== undefined).sort();
  } catch {
    return [];
  }
}

function isShown({ name }: Dirent): boolean {
  return !name.startsWith('.') && name !== 'node_modules' && !hasInvisible(name);
}

async function toName(entry: Dirent, place: string, inside: string): Promise<string | undefined> {
  if (entry.isDirectory()) return `${entry.name}/`;
  if (entry.isFile()) return entry.name;
  if (!entry.isSymbolicLink()) return undefined;
  try {
    const target = await realpath(join(place, entry.name));
    if (!isInside(target, inside)) return undefined;
    return (await stat(target)).isDirectory() ? `${entry.name}/` : entry.name;
  } catch {
    return undefined;
  }
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
