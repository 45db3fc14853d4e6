/**
 * Which unfinished runs are pinned to a package. Reads run records, writes nothing.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runRecordSchema } from '@crewagent/protocol/run';
import * as z from '@crewagent/protocol/zod';
import { errnoOf } from '../base/errno.ts';
import { parseStagingName } from '../base/staging.ts';
import type { StoreLayout } from './layout.ts';

/** The ids of runs that would be lost without this package. */
export async function runsNeedingPackage(store: StoreLayout, hash: string): Promise<string[]> {
  const needing: string[] = [];
  for (const project of await namesIn(store.projects)) {
    const runs = join(store.projects, project, 'runs');
    for (const run of await namesIn(runs)) {
      // Half made or half deleted.
      if (parseStagingName(run)) continue;
      const record = await readIfPresent(join(runs, run, 'run.json'));
      if (record !== undefined && needsPackage(record, hash)) needing.push(run);
    }
  }
  return needing;
}

/** All that is asked here, so that a record of another version can still answer. */
const pinSchema = z.looseObject(runRecordSchema.pick({ packageHash: true, phase: true }).shape);

/** A record that cannot be read counts: better kept than lost. */
function needsPackage(record: string, hash: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(record);
  } catch {
    return true;
  }
  const parsed = pinSchema.safeParse(value);
  if (!parsed.success) return true;
  const { packageHash, phase } = parsed.data;
  return packageHash === hash && (phase === 'Running' || phase === 'WaitingUser');
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** Undefined when there is no record, and so no run; nothing readable when it is there and cannot be read. */
async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    if (errnoOf(error) !== undefined) return '';
    throw error;
  }
}
