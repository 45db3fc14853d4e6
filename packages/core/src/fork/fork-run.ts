/**
 * Forks a run: a new Work that goes on from a point of another one, with the log, the state and the project files up to there. The
 * original is only read. The fork is stored last, when its files are in place.
 */
import { basename, dirname, join } from 'node:path';
import type { AskedQuestion } from '@crewagent/protocol/fork-points';
import type { RunRecord } from '@crewagent/protocol/run';
import { EMPTY_RUN_STATE, foldRunState } from '@crewagent/protocol/run-state';
import { CrewError } from '../base/crew-error.ts';
import { ifSystemAllows } from '../base/errno.ts';
import { isOnDisk } from '../base/small-files.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { findRoot, resolveRun } from '../store/find-works.ts';
import { requireFolder } from '../store/project-store.ts';
import type { Store } from '../store/store.ts';
import { type ForkChoices, type ForkDeps, type RunCopy, toCopies, toDraft } from './fork-copies.ts';
import { findRepository, makeFolder, type NewFolder, sweepFolders } from './fork-folder.ts';
import { type FilesPlan, layOutFiles, planFiles } from './lay-out-files.ts';
import { findPastFiles, type PastFiles } from './past-files.ts';
import { type PastTree, type PointChoice, phaseOf, readTree, toPastTree, toPastWork } from './past-tree.ts';
import { NOTHING_RECORDED, type RecordedChanges, settleProject, useProject } from './same-folder.ts';

/** `seen`: the files of the plan that the person was shown as changed. */
export type ForkTarget = NewFolder | { readonly kind: 'same'; readonly seen: readonly string[] };

export interface ForkRequest extends PointChoice, ForkChoices {
  readonly run: string;
  readonly target: ForkTarget;
  /** Files that cannot be rebuilt stay as they are now. */
  readonly keepsLost?: boolean | undefined;
  /** Makes again what is out of date: files stay as they are, and visits are taken over. */
  readonly isRerun?: boolean | undefined;
  /** The record of the root as it is stored. */
  readonly move?: ((root: RunCopy) => Promise<RunRecord>) | undefined;
}

export interface ForkPlan extends FilesPlan {
  readonly workId: string;
  readonly nodeId: string;
  /** Of the node, as the run knew it then. */
  readonly title: string;
  readonly visit: number;
  /** The questions of the visit. */
  readonly questions: readonly AskedQuestion[];
  readonly variables: Readonly<Record<string, unknown>>;
  /** A folder beside the project that does not exist. */
  readonly folder: string;
  readonly isRepository: boolean;
}

export interface Forked {
  readonly workId: string;
  readonly projectId: string;
  /** Of the project of the fork. */
  readonly folder: string;
  readonly nodeId: string;
  readonly visit: number;
  /** Files that were put back. */
  readonly changed: readonly string[];
  /** Files that could not be: they are as they were when the run was forked. */
  readonly lost: readonly string[];
}

/** What a fork would do. */
export async function planFork(
  request: PointChoice & { readonly run: string },
  deps: Pick<ForkDeps, 'store' | 'now'>,
): Promise<ForkPlan> {
  const { tree, project, plan, workId } = await openSource(request, deps);
  const { nodeId, visit, questions } = tree.point;
  const target = tree.path.at(-1);
  const events = target?.events.slice(0, tree.cuts.get(workId)) ?? [];
  const nodes = events.flatMap((event) => ('nodes' in event ? event.nodes : []));
  return {
    ...plan,
    workId,
    nodeId,
    title: nodes.findLast(({ id }) => id === nodeId)?.title || nodeId,
    visit,
    questions,
    variables: events.reduce(foldRunState, EMPTY_RUN_STATE).variables,
    folder: freeFolder(project),
    isRepository: (await findRepository(project)) !== undefined,
  };
}

export async function forkRun(request: ForkRequest, deps: ForkDeps): Promise<Forked> {
  const { store, now } = deps;
  const { target, isRerun } = request;
  const source = await openSource(request, deps);
  const { tree, project, past, plan } = source;
  if (plan.lost.length > 0 && !request.keepsLost) throw cannotRebuild(plan.lost);
  await sweepFolders(
    [project, ...(await store.projects.list()).map(({ path }) => path)].map((path) => dirname(path)),
  );
  const newId = createUuidV7(now);
  const forked = [...tree.cuts].filter(([, seq]) => seq > 0);
  const ids = new Map(forked.map(([workId]) => [workId, newId()]));
  const workId = ids.get(source.root.workId) ?? '';
  const draft = await toDraft({ tree, ids, project, request }, deps);
  const publish = async (projectId: string, changes: RecordedChanges): Promise<void> => {
    const parts = { tree, ids, draft, projectId, changes, lost: plan.lost, isRerun };
    const [root, ...called] = await toCopies(parts, deps);
    if (!root) throw new Error('a fork has a root');
    const own = request.move ? { ...root, record: await request.move(root) } : root;
    // The root is last: with it the fork exists.
    for (const copy of [...called.toReversed(), own])
      await store.works.adopt(copy, { publishing: (act) => store.projects.whileStays(projectId, act) });
  };
  const exists = (id: string): Promise<boolean> => hasWork(store, id);
  const scratch = await store.packages.makeScratch();
  try {
    const files = { past, plan, scratch: scratch.path, journals: tree.runs.map(({ journal }) => journal) };
    const changed = plan.changes.map(({ path }) => path);
    const done = { workId, nodeId: tree.point.nodeId, visit: tree.point.visit, changed, lost: plan.lost };
    if (target.kind === 'same') {
      requireSeen(target.seen, changed);
      const { projectId } = source.root;
      await useProject({ project, projectId, workId, store, now, exists }, async (recorder) => {
        requireWhole(await layOutFiles({ ...files, folder: project, ...recorder }));
        await publish(projectId, recorder.recorded());
      });
      return { ...done, projectId, folder: project };
    }
    const { folder, finish } = await makeFolder(target, {
      project,
      privateFolder: store.root,
      workId,
      exists,
      fill: async (to) => requireWhole(await layOutFiles({ ...files, folder: to, callId: workId })),
    });
    const { projectId } = await store.projects.open(folder, { now, newId });
    await publish(projectId, NOTHING_RECORDED);
    await finish();
    return { ...done, projectId, folder };
  } finally {
    await scratch.remove();
  }
}

interface Source {
  readonly root: { readonly workId: string; readonly projectId: string };
  /** The run that the point is in. */
  readonly workId: string;
  readonly tree: PastTree;
  readonly project: string;
  readonly past: PastFiles;
  readonly plan: FilesPlan;
}

async function openSource(
  request: PointChoice & Pick<ForkRequest, 'run' | 'isRerun'>,
  { store, now }: Pick<ForkDeps, 'store' | 'now'>,
): Promise<Source> {
  const address = await resolveRun(store, request.run);
  const root = await findRoot(store, address);
  const runs = await readTree(store, root);
  if (runs.some(({ events }) => phaseOf(events).phase === 'Running'))
    throw new CrewError(
      'RUN_NOT_READY',
      'The run is in progress. Stop it, or wait until it waits or ends; then fork it.',
    );
  const tree = toPastTree(runs, address.workId, request);
  const { path: project } = await store.projects.read(root.projectId);
  await requireFolder(project);
  const exists = (workId: string): Promise<boolean> => hasWork(store, workId);
  await settleProject({ project, projectId: root.projectId, store, now, exists });
  const past = request.isRerun ? NO_FILES : findPastFiles(runs.map((run) => toPastWork(run, tree)));
  const plan = await planFiles(
    past,
    project,
    runs.map(({ journal }) => journal),
  );
  return { root, workId: address.workId, tree, project, past, plan };
}

const NO_FILES: PastFiles = { files: new Map(), madeFolders: [] };

function freeFolder(project: string): string {
  const base = join(dirname(project), `${basename(project)}-fork`);
  for (let count = 1; ; count++) {
    const folder = count === 1 ? base : `${base}-${count}`;
    if (!ifSystemAllows(() => isOnDisk(folder))) return folder;
  }
}

async function hasWork({ works }: Store, workId: string): Promise<boolean> {
  try {
    await works.find(workId);
    return true;
  } catch (error) {
    if (error instanceof CrewError && error.code === 'WORK_NOT_FOUND') return false;
    throw error;
  }
}

/** A person confirms exactly these changes. */
function requireSeen(seen: readonly string[], changed: readonly string[]): void {
  const isSame = seen.length === changed.length && changed.every((path) => seen.includes(path));
  if (!isSame)
    throw new CrewError(
      'FILE_CONFLICT',
      'The files that would change are not those that were shown; look at them again.',
      { details: { paths: [...changed] } },
    );
}

function requireWhole({ failed }: { readonly failed: readonly string[] }): void {
  if (failed.length > 0)
    throw new CrewError(
      'FILE_CONFLICT',
      `Could not be put back: ${listed(failed)}. Nothing was forked. Look whether another program uses them, then try again.`,
      { details: { paths: [...failed] } },
    );
}

function cannotRebuild(lost: readonly string[]): CrewError {
  return new CrewError(
    'FILE_CONFLICT',
    `What was in these files then was not kept, because the journal of the run was full: ${listed(lost)}. Fork with these files as they are now, with --keep-lost, or choose another step.`,
    { details: { paths: [...lost] } },
  );
}

const SHOWN = 5;

function listed(paths: readonly string[]): string {
  const names = paths.slice(0, SHOWN).map((path) => `"${path}"`);
  return names.join(', ') + (paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : '');
}
