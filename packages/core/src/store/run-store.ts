/**
 * Runs on disk: making one, its record, deleting one. A run exists from one rename on, whole, until another.
 */
import { mkdir } from 'node:fs/promises';
import type { RunFact } from '@crewagent/protocol/events';
import { type RunRecord, runRecordSchema } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import { createFile, syncFolder } from '../base/durable-files.ts';
import { withDiskErrors } from '../base/errno.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { createInitialState, type RunIdentity } from '../workflow/initial-state.ts';
import { markChange } from './change-marks.ts';
import { type RunAddress, type StoreLayout, toRunPaths } from './layout.ts';
import { takeRunLock } from './run-lock.ts';
import { openRunLog } from './run-log.ts';
import { type Publishing, publishFolder, retireFolder } from './staged-folder.ts';
import { parseStored, readStoreFile, writeStoreFile } from './store-file.ts';

type Given = 'schemaVersion' | 'runId' | 'phase' | 'reason' | 'createdAt' | 'updatedAt';

export interface RunDraft extends Omit<RunRecord, Given> {
  /** Text of the package's workflow.md. */
  readonly stateTemplate: string;
  readonly entryNodeId: string;
  /** Mount paths of what came with the command that starts it. */
  readonly inputDocuments?: readonly string[];
  /** What is written into the state where the author left a blank. */
  readonly blanks?: RunIdentity['blanks'];
  /** Written to the log before the run exists, so that there is no run without them. */
  readonly firstFacts?: readonly RunFact[];
}

export interface RunMaker {
  readonly now: () => Date;
  /** Ids that sort by time; a maker that is kept keeps them in order within a millisecond. */
  readonly newId?: () => string;
  /** Where the project may be forgotten meanwhile. */
  readonly publishing?: Publishing;
}

/**
 * Makes a run that waits to be started: nobody holds its lock yet, so it must not look like one that was left in the middle.
 */
export async function createRun(
  store: StoreLayout,
  draft: RunDraft,
  { now, newId = createUuidV7(now), publishing }: RunMaker,
): Promise<RunRecord> {
  const { stateTemplate, entryNodeId, inputDocuments, blanks, firstFacts = [], ...pinned } = draft;
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
    ...(inputDocuments ? { inputDocuments } : {}),
    ...(blanks ? { blanks } : {}),
  });
  if (!state.ok) {
    throw new CrewError('PACKAGE_INVALID', `The workflow cannot be started: ${state.error.message}`, {
      details: state.error.details ?? {},
    });
  }
  await withDiskErrors('Could not create the run', () =>
    publishFolder(
      store.run(record).folder,
      async (folder) => {
        const staging = toRunPaths(folder);
        for (const part of [staging.state, staging.logs]) await mkdir(part, { mode: 0o700 });
        await Promise.all([
          createFile(staging.stateDocument, state.text),
          writeFirstFacts(staging.log, firstFacts, { runId: record.runId, now }),
        ]);
        await Promise.all([
          syncFolder(staging.state),
          syncFolder(staging.logs),
          writeStoreFile(staging.record, record),
        ]);
      },
      publishing,
    ),
  );
  await markChange(store, store.runsFolder(record.projectId));
  return record;
}

export async function writeFirstFacts(
  file: string,
  facts: readonly RunFact[],
  { runId, now }: { readonly runId: string; readonly now: () => Date },
): Promise<void> {
  const log = await openRunLog({ file, runId, now });
  try {
    for (const fact of facts) log.append(fact);
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
  await markChange(store, store.runsFolder(record.projectId));
}

/** Deletes a run with everything in it. Refused while somebody works on it. */
export async function deleteRun(store: StoreLayout, address: RunAddress): Promise<void> {
  const { folder, lock: lockFile } = store.run(address);
  const lock = await takeRunLock(lockFile);
  try {
    await withDiskErrors('Could not delete the run', () => retireFolder(folder, lock));
  } finally {
    await markChange(store, store.runsFolder(address.projectId));
  }
}
