/** A small disk of its own, mounted over a folder. Needs root; without it, `canMount` is false and tests are skipped. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export const canMount = tryMount();

if (!canMount)
  console.warn('Tests of full and read-only disks are skipped: they need the right to mount one.');

/** `options`: those of tmpfs. Unmounted when the test has finished. */
export function mountSmallDisk(folder: string, options: string) {
  mount('-t', 'tmpfs', '-o', options, 'tmpfs', folder);
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  /** Changes the options of the mounted disk: `size=1m`, `ro`. */
  const change = (changed: string): void => mount('-o', `remount,${changed}`, folder);
  return { change };
}

function mount(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`mount: ${stderr}`);
}

function tryMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'mount-'));
  try {
    mount('-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder);
    return spawnSync('umount', [folder]).status === 0;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}
