/**
 * Names of temp files, and cleanup after crashes. A name contains the id of the process that owns it; files of dead
 * processes are swept.
 */
import { randomUUID } from 'node:crypto';
import { type Dirent, readdirSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from './errno.ts';

const STAGING = /^\.([a-z]+)-(\d+)-[0-9a-f]{16}$/;

/** A name that no other process uses. */
export function stagingName(kind: string): string {
  return `.${kind}-${process.pid}-${randomUUID().replaceAll('-', '').slice(-16)}`;
}

/** Kind and owner of a temp file name; undefined for other names. */
export function parseStagingName(name: string): { kind: string; pid: number } | undefined {
  const match = STAGING.exec(name);
  return match?.[1] && match[2] ? { kind: match[1], pid: Number(match[2]) } : undefined;
}

export function isAlive(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

/** Deletes temp files of dead processes in a folder and, if `isDeep`, its subfolders. Links are not followed. */
export async function sweepTempFiles(folder: string, { isDeep = true } = {}): Promise<void> {
  const pending = [folder];
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    for (const entry of entriesOf(current)) {
      const path = join(current, entry.name);
      if (isDeep && entry.isDirectory()) pending.push(path);
      const staging = parseStagingName(entry.name);
      if (entry.isFile() && staging?.kind === 'writing' && !isAlive(staging.pid)) await unlink(path);
    }
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
