/**
 * Deletes a folder with its content, including read-only folders; links are removed, not followed.
 */
import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { bareEnvironment } from './bare-environment.ts';
import { errnoOf, ifSystemAllows } from './errno.ts';

export async function removeTree(path: string): Promise<void> {
  try {
    await removeByPath(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENAMETOOLONG' || process.platform === 'win32') throw error;
    // Programs can nest folders deeper than a path can be long; these tools walk relative to each folder.
    const { execFile } = await import('node:child_process');
    await promisify(execFile)('/bin/sh', ['-c', 'chmod -R u+rwx -- "$1"; rm -rf -- "$1"', 'sh', path], {
      env: bareEnvironment(['PATH']),
    });
  }
}

/** Other tasks may run after this time. */
const TURN_MS = 8;

/** Synchronously: through the thread pool it takes ten times as long. */
async function removeByPath(path: string): Promise<void> {
  // Grows while it is read; each folder comes before those in it.
  const folders = [path];
  let turnStart = performance.now();
  for (const folder of folders) {
    for (const entry of openForRemoval(folder)) {
      const inner = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(inner);
      else ifSystemAllows(() => unlinkSync(inner));
      if (performance.now() - turnStart < TURN_MS) continue;
      await setImmediate();
      turnStart = performance.now();
    }
  }
  for (const folder of folders.reverse()) ifSystemAllows(() => rmdirSync(folder));
  // What is left: `path` itself is no folder, something was added meanwhile, or the system refused and says why.
  await rm(path, { recursive: true, force: true });
}

/** Makes a folder writable. Returns its entries; none of a file, of a link, and of what is gone. */
function openForRemoval(folder: string) {
  try {
    if (!lstatSync(folder).isDirectory()) return [];
    chmodSync(folder, 0o700);
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return [];
  }
}
