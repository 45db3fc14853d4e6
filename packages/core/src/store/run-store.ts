/**
 * Runs on disk: making one, its record, deleting one. A run exists from one rename on, whole, until another.
 */
import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunFact } from '@crewagent/protocol/events';
import { type RunRecord, runRecordSchema } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import { removeTree, syncFolder } from '../base/durable-files.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { isAlive, parseStagingName, stagingName } from '../base/staging.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { createInitialState } from '../workflow/initial-state.ts';
import { type RunAddress, type RunPaths, type StoreLayout, toRunPaths } from './layout.ts';
import { takeRunLock } from './run-lock.ts';
import { openRunLog } from './run-log.ts';
import { makePrivateFolder, parseStored, readStoreFile, writeStoreFile } from './store-file.ts';

type Given = 'schemaVersion' | 'runId' | 'phase' | 'reason' | 'createdAt' | 'updatedAt';

export interface RunDraft extends Omit<RunRecord, Given> {
  /** Text of the package's workflow.md. */
  readonly stateTemplate: string;
  readonly entryNodeId: string;
  /** Written to the log before the run exists, so that there is no run without it. */
  readonly firstFact?: RunFact | undefined;
}

export interface RunMaker {
  readonly now: () => Date;
  /** Ids that sort by time; a maker that is kept keeps them in order within a millisecond. */
  readonly newId?: () => string;
}

/**
 * Makes a run that waits to be started: nobody holds its lock yet, so it must not look like one that was left in the middle.
 */
export async function createRun(
  store: StoreLayout,
  draft: RunDraft,
  { now, newId = createUuidV7(now) }: RunMaker,
): Promise<RunRecord> {
  const { stateTemplate, entryNodeId, firstFact, ...pinned } = draft;
  const at = now().toISOString();
  const record = runRecordSchema.parse({
    schemaVersion: 1,
    runId: newId(),
    ...pinned,
    phase: 'WaitingUser',
    reason: { code: 'interrupted', message: 'The run was created and has not been started.' },
    createdAt: at,
    updatedAt: at,
  } satisfies RunRecord);
  const state = await createInitialState(stateTemplate, {
    runId: record.runId,
    activeAgentId: record.activeAgentId,
    workflowRef: record.workflowRef,
    currentNodeId: entryNodeId,
    updatedAt: at,
  });
  if (!state.ok) {
    throw new CrewError('PACKAGE_INVALID', `The workflow cannot be started: ${state.error.message}`, {
      details: state.error.details ?? {},
    });
  }
  await withDiskErrors('Could not create the run', () =>
    publish(store, record, async (staging) => {
      await Promise.all([
        writeNewFile(staging.stateDocument, state.text),
        writeFirstFact(staging.log, firstFact, { runId: record.runId, now }),
      ]);
    }),
  );
  return record;
}

/** The folder is filled under a name that is no run's, and becomes one with a rename. */
async function publish(
  store: StoreLayout,
  record: RunRecord,
  fill: (staging: RunPaths) => Promise<void>,
): Promise<void> {
  const runs = store.runsFolder(record.projectId);
  await makePrivateFolder(runs);
  await sweepRunStaging(runs);
  const staging = toRunPaths(join(runs, stagingName('creating')));
  try {
    for (const part of [staging.folder, staging.state, staging.logs]) await mkdir(part, { mode: 0o700 });
    await fill(staging);
    await Promise.all([
      syncFolder(staging.state),
      syncFolder(staging.logs),
      writeStoreFile(staging.record, record),
    ]);
    await rename(staging.folder, store.run(record).folder);
  } catch (error) {
    await removeTree(staging.folder);
    throw error;
  }
  await syncFolder(runs);
}

async function writeNewFile(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeFirstFact(
  file: string,
  fact: RunFact | undefined,
  { runId, now }: { readonly runId: string; readonly now: () => Date },
): Promise<void> {
  const log = await openRunLog({ file, runId, now });
  try {
    if (fact) log.append(fact);
    await log.sync();
  } finally {
    await log.close();
  }
}

/** Throws RUN_NOT_FOUND, or STORE_DAMAGED for a record that cannot be read. */
export async function readRunRecord(store: StoreLayout, address: RunAddress): Promise<RunRecord> {
  const file = store.run(address).record;
  const value = await readStoreFile(file);
  if (value === undefined) throw new CrewError('RUN_NOT_FOUND', 'The run no longer exists.');
  return parseStored(runRecordSchema, value, file);
}

/** To be called under the run's lock. */
export async function writeRunRecord(store: StoreLayout, record: RunRecord): Promise<void> {
  const checked = runRecordSchema.parse(record);
  await withDiskErrors('Could not save the record of the run', () =>
    writeStoreFile(store.run(record).record, checked),
  );
}

/** Deletes a run with everything in it. Refused while somebody works on it. */
export async function deleteRun(store: StoreLayout, address: RunAddress): Promise<void> {
  const { folder, lock: lockFile } = store.run(address);
  const runs = store.runsFolder(address.projectId);
  const doomed = join(runs, stagingName('removing'));
  const lock = await takeRunLock(lockFile);
  await withDiskErrors('Could not delete the run', async () => {
    try {
      // Windows moves no folder in which a file is open.
      if (process.platform === 'win32') await lock.release();
      await rename(folder, doomed);
    } finally {
      await lock.release();
    }
    await syncFolder(runs);
    await removeTree(doomed);
  });
}

/** Deletes what processes that are gone left half made or half deleted. */
export async function sweepRunStaging(runs: string): Promise<void> {
  for (const name of await namesIn(runs)) {
    const staging = parseStagingName(name);
    if (staging && !isAlive(staging.pid)) await removeTree(join(runs, name));
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
