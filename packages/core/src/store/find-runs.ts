/**
 * Finding runs: all of them, or the one a person means. Reads names and records, never a log.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { mapLimit } from '../base/map-limit.ts';
import { isStoreId, type RunAddress, type StoreLayout } from './layout.ts';
import { readRunRecord } from './run-store.ts';

export interface ListedRun extends RunAddress {
  /** Undefined when it cannot be read; `problem` then says why. */
  readonly record?: RunRecord;
  readonly problem?: string;
}

export interface RunFilter {
  readonly projectId?: string | undefined;
}

const LANES = 16;

/** The newest first. A damaged one is listed as such. */
export async function listRuns(store: StoreLayout, filter: RunFilter = {}): Promise<ListedRun[]> {
  const addresses = await listRunAddresses(store, filter);
  const found = await mapLimit(addresses, LANES, (address) => readListedRun(store, address));
  return found.filter((run) => run !== undefined);
}

/** Undefined when it was deleted a moment ago. */
export async function readListedRun(store: StoreLayout, address: RunAddress): Promise<ListedRun | undefined> {
  const paths = store.run(address);
  try {
    return { ...address, record: await readRunRecord(store, address) };
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    if (error.code === 'RUN_NOT_FOUND' && !existsSync(paths.folder)) return undefined;
    const problem = error.code === 'RUN_NOT_FOUND' ? `"${paths.record}" is missing.` : error.message;
    return { ...address, problem };
  }
}

const SHORTEST = 4;

/** The one run meant by an id, its beginning or its end, or `last`. Runs of one minute have the same beginning. */
export async function resolveRun(
  store: StoreLayout,
  ref: string,
  filter: RunFilter = {},
): Promise<RunAddress> {
  const wanted = ref.trim().toLowerCase();
  const runs = await listRunAddresses(store, filter);
  const matches =
    wanted === 'last'
      ? runs.slice(0, 1)
      : runs.filter(
          ({ runId }) => wanted.length >= SHORTEST && (runId.startsWith(wanted) || runId.endsWith(wanted)),
        );
  const [first] = matches;
  if (!first) {
    throw new CrewError(
      'RUN_NOT_FOUND',
      wanted === 'last'
        ? 'There is no run yet.'
        : `No run matches "${ref}"; give its id, at least ${SHORTEST} characters of its beginning or end, or "last".`,
    );
  }
  if (matches.length > 1) {
    const choices = matches.slice(0, 5).map(({ runId }) => runId);
    const more = matches.length > choices.length ? ', …' : '';
    throw new CrewError(
      'RUN_AMBIGUOUS',
      `"${ref}" fits ${matches.length} runs (${choices.join(', ')}${more}); give more of the id.`,
      { details: { runs: matches.map(({ runId }) => runId) } },
    );
  }
  return first;
}

/** Ids sort by the time they were made. */
export async function listRunAddresses(
  store: StoreLayout,
  { projectId }: RunFilter = {},
): Promise<RunAddress[]> {
  return withDiskErrors('Could not list the runs', async () => {
    const projects = projectId === undefined ? await idsIn(store.projects) : [projectId];
    const lists = await mapLimit(projects, LANES, async (id) =>
      (await idsIn(store.runsFolder(id))).map((runId) => ({ projectId: id, runId })),
    );
    return lists.flat().sort((a, b) => (a.runId < b.runId ? 1 : -1));
  });
}

async function idsIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(isStoreId);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
