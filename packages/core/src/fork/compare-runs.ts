/** Reads runs that a person compares, and the difference between a file of two of them. */
import type { FileDiff } from '@crewagent/protocol/api/file-diff';
import { type Comparison, compareRuns, type RunFacts } from '@crewagent/protocol/compare';
import { modelNameOf } from '@crewagent/protocol/model';
import { treeTurns, treeUsage } from '@crewagent/protocol/story/tree-figures';
import { CrewError } from '../base/crew-error.ts';
import { readEvidence } from '../reports/read-evidence.ts';
import { showWork } from '../session/show-work.ts';
import { findRoot, listRuns, resolveRun } from '../store/find-works.ts';
import type { Store } from '../store/store.ts';
import type { RunAddress } from '../store/work-address.ts';
import { findLeftFiles, type LeftFile } from './past-files.ts';

/** More would be too narrow to read. */
const MOST = 6;

export async function readComparison(store: Store, refs: readonly string[]): Promise<Comparison> {
  const addresses = await resolveAll(store, refs);
  return compareRuns(await Promise.all(addresses.map((address) => readFacts(store, address))));
}

async function resolveAll(store: Store, refs: readonly string[]): Promise<RunAddress[]> {
  const found = await Promise.all(refs.map(async (ref) => findRoot(store, await resolveRun(store, ref))));
  const ids = new Set(found.map(({ workId }) => workId));
  if (found.length < 2 || found.length > MOST || ids.size < found.length)
    throw new CrewError('USAGE', `Give 2 to ${MOST} different runs to compare.`);
  return found;
}

async function readFacts(store: Store, address: RunAddress): Promise<RunFacts> {
  const { record, view } = await showWork(store, address);
  const {
    workId,
    projectId,
    workflowTitle,
    workflowRef,
    packageVersion,
    phase,
    reason,
    createdAt,
    forkedFrom,
  } = record;
  const left = await readLeftFiles(store, address);
  return {
    run: {
      ...{ workId, projectId, title: workflowTitle || workflowRef, version: packageVersion },
      ...{ model: modelNameOf(record.model), phase, createdAt },
      ...(reason ? { reason } : {}),
      ...(forkedFrom ? { forkedFrom } : {}),
    },
    sheet: await readEvidence(store, address),
    state: view.own.state,
    turns: treeTurns(view.own, view.runs),
    usage: treeUsage(view.own, view.runs),
    files: new Map([...left].map(([path, { image }]) => [path, image?.sha256 ?? null])),
  };
}

async function readLeftFiles({ works }: Store, root: RunAddress) {
  const runs = [root, ...(await works.children(root))];
  return findLeftFiles(await Promise.all(runs.map((address) => works.readJournal(address))));
}

const MAX_BYTES = 1_048_576;

/** What differs between what two runs left of a file. */
export async function compareFile(
  store: Store,
  [one, other]: readonly [string, string],
  path: string,
): Promise<FileDiff> {
  const [before, after] = await Promise.all(
    [one, other].map(async (ref) => {
      const left = await readLeftFiles(store, await findRoot(store, await resolveRun(store, ref)));
      return left.get(path);
    }),
  );
  if (!before && !after)
    throw new CrewError('FILE_NOT_FOUND', `Neither run changed "${path}". Check the path.`);
  const [old, next] = await Promise.all([readLeft(before), readLeft(after)]);
  if (old === 'not-kept' || next === 'not-kept') return { path, reason: 'not-kept' };
  if ((old?.length ?? 0) > MAX_BYTES || (next?.length ?? 0) > MAX_BYTES) return { path, reason: 'too-large' };
  if (old === undefined ? next === undefined : next && old.equals(next)) return { path, reason: 'same' };
  const { patchOf } = await import('../tools/files/unified-diff.ts');
  const patch = patchOf(`@project/${path}`, old, next);
  return { path, ...(patch.ok ? { diff: patch.text } : { reason: patch.reason }) };
}

async function readLeft(left: LeftFile | undefined): Promise<Buffer | 'not-kept' | undefined> {
  if (!left?.image) return undefined;
  return (await left.journal.read(left.image.sha256)) ?? 'not-kept';
}

export interface ListedFork {
  readonly workId: string;
  readonly projectId: string;
  readonly nodeId: string;
  readonly visit: number;
  readonly createdAt: string;
}

/** Forks of a run, or of one that it called; the newest first. */
export async function listForks(store: Store, address: RunAddress): Promise<ListedFork[]> {
  const tree = new Set([address, ...(await store.works.children(address))].map(({ workId }) => workId));
  return (await listRuns(store)).flatMap(({ record }) => {
    if (!record?.forkedFrom || !tree.has(record.forkedFrom.workId)) return [];
    const { workId, projectId, createdAt, forkedFrom } = record;
    return [{ workId, projectId, nodeId: forkedFrom.nodeId, visit: forkedFrom.visit, createdAt }];
  });
}
