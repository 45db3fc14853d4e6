/**
 * Lists a folder of the project or of a package for completion. Skips hidden entries and links that lead outside.
 */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { hasInvisible } from '@crewagent/protocol/plain-text';

const MOST_LISTED = 1_000;

/** `folder` is relative to the root and ends in `/`, or is empty. Returns no names if it cannot be listed. */
export async function listFolder(root: string, folder: string): Promise<readonly string[]> {
  if (folder !== '' && !folder.endsWith('/')) return [];
  const parts = folder.split('/').slice(0, -1);
  if (parts.some((part) => part === '' || part.startsWith('.') || /[\\:\0]/.test(part))) return [];
  try {
    const rootPath = await realpath(root);
    const folderPath = await realpath(join(root, ...parts));
    if (!isInside(folderPath, rootPath)) return [];
    const entries = (await readdir(folderPath, { withFileTypes: true }))
      .filter(isShown)
      .slice(0, MOST_LISTED);
    const names = await Promise.all(entries.map((entry) => toName(entry, folderPath, rootPath)));
    return names.filter((name) => name !== undefined).sort();
  } catch {
    return [];
  }
}

function isShown({ name }: Dirent): boolean {
  return !name.startsWith('.') && name !== 'node_modules' && !hasInvisible(name);
}

async function toName(entry: Dirent, folderPath: string, rootPath: string): Promise<string | undefined> {
  if (entry.isDirectory()) return `${entry.name}/`;
  if (entry.isFile()) return entry.name;
  if (!entry.isSymbolicLink()) return undefined;
  try {
    const target = await realpath(join(folderPath, entry.name));
    if (!isInside(target, rootPath)) return undefined;
    return (await stat(target)).isDirectory() ? `${entry.name}/` : entry.name;
  } catch {
    return undefined;
  }
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
