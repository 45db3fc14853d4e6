/**
 * Makes again what is out of date in a run: a fork in the same folder that begins at the first stale step and takes over the visits that
 * nothing has changed for. Every file stays as it is until a step writes it again.
 */
import type { RerunPlan } from '@crewagent/protocol/api/file-use';
import type { FileVisit } from '@crewagent/protocol/file-use';
import type { RunRecord } from '@crewagent/protocol/run';
import type { StaleVisit } from '@crewagent/protocol/stale';
import { toStatus } from '@crewagent/protocol/status';
import { CrewError } from '../base/crew-error.ts';
import { sha256Of } from '../base/sha256.ts';
import { resolveInstalled } from '../bmad/installed-packages.ts';
import { compareSteps, readStale } from '../file-use/read-stale.ts';
import { readFileVisits } from '../file-use/read-visits.ts';
import type { ForkDeps, RunCopy } from '../fork/fork-copies.ts';
import { type Forked, forkRun } from '../fork/fork-run.ts';
import type { ModelChoice } from '../session/models/choose-model.ts';
import { toNewest } from '../session/upgrade/upgrade-run.ts';
import { findRoot, resolveRun } from '../store/find-works.ts';
import type { RunAddress } from '../store/work-address.ts';

export interface RerunRequest {
  readonly run: string;
  /** `id` of the plan that the person was shown. */
  readonly seen: string;
  readonly model?: ModelChoice | undefined;
}

/** Changes nothing. Without `first` everything is up to date. */
export async function planRerun(ref: string, deps: Pick<ForkDeps, 'store' | 'context'>): Promise<RerunPlan> {
  return (await plan(ref, deps)).shown;
}

export async function rerunStale({ run, seen, model }: RerunRequest, deps: ForkDeps): Promise<Forked> {
  const { shown, address, record } = await plan(run, deps);
  const { first, version } = shown;
  if (!first) throw new CrewError('RUN_NOT_READY', 'Nothing in this run is out of date.');
  if (shown.id !== seen)
    throw new CrewError(
      'FILE_CONFLICT',
      'What is out of date is not what was shown; look at it again, then confirm.',
    );
  if (version !== undefined) await requireStep(record, first.nodeId, deps);
  const move = version === undefined ? undefined : (root: RunCopy) => toMoved(root, address, deps);
  return forkRun(
    { run: address.workId, at: first, target: { kind: 'same', seen: [] }, model, isRerun: true, move },
    deps,
  );
}

/** With the version that makes its step another one: a process may die when the rerun exists. */
async function toMoved(
  { record, state, read }: RunCopy,
  log: RunAddress,
  deps: ForkDeps,
): Promise<RunRecord> {
  const document = await read(state.get('workflow.md') ?? '');
  return toNewest(record, { state: document.toString(), log }, deps);
}

interface Plan {
  readonly shown: RerunPlan;
  readonly address: RunAddress;
  readonly record: RunRecord;
}

async function plan(ref: string, deps: Pick<ForkDeps, 'store' | 'context'>): Promise<Plan> {
  const { store } = deps;
  const address = await findRoot(store, await resolveRun(store, ref));
  const record = await store.works.read(address);
  if (toStatus(record).isRunning)
    throw new CrewError('RUN_NOT_READY', 'The run is in progress. Stop it, or wait until it waits or ends.');
  const visits = (await readFileVisits(address, store)).filter(({ isRewound }) => !isRewound);
  const stale = await readStale(address, deps);
  const roots = stale.filter(isRoot);
  const at = roots[0] && visits.findIndex((visit) => isSame(visit, roots[0]));
  const own = at === undefined ? undefined : visits.slice(0, at + 1).findLast(isOf(address));
  if (!own) return { shown: { id: '', runId: address.workId, steps: [] }, address, record };
  const first = { nodeId: own.nodes.at(-1) ?? '', visit: own.visit };
  const later = visits.slice(visits.indexOf(own));
  const steps = later
    .filter((visit, index) => !isCall(visit, later[index + 1]) || stale.some((other) => isSame(visit, other)))
    .map((visit) => toStep(visit, stale));
  const version = roots.flatMap(({ reasons }) =>
    reasons.flatMap((r) => (r.kind === 'step' ? [r.version] : [])),
  )[0];
  const found = { runId: address.workId, first, steps, ...(version === undefined ? {} : { version }) };
  return { shown: { id: sha256Of(Buffer.from(JSON.stringify([found, stale]))), ...found }, address, record };
}

const isRoot = ({ reasons }: StaleVisit): boolean => reasons.some(({ kind }) => kind !== 'depends');

const isOf =
  ({ workId }: RunAddress) =>
  ({ runId }: FileVisit): boolean =>
    runId === workId;

function isSame(visit: FileVisit, other: StaleVisit | undefined): boolean {
  return visit.runId === other?.runId && visit.seq === other.seq;
}

/** The steps of the called run follow. */
const isCall = ({ nodes }: FileVisit, next: FileVisit | undefined): boolean =>
  next !== undefined && next.nodes.length > nodes.length;

function toStep(visit: FileVisit, stale: readonly StaleVisit[]): RerunPlan['steps'][number] {
  const { nodes, visit: count } = visit;
  const found = stale.find((other) => isSame(visit, other));
  const reasons = (found?.reasons ?? []).map((reason) => {
    if (reason.kind !== 'depends') return reason;
    const { nodes: from = [] } = stale[reason.from] ?? {};
    return { kind: reason.kind, path: reason.path, from: [...from] };
  });
  const does = found ? (isRoot(found) ? 'again' : 'maybe') : 'carried';
  return { nodes: [...nodes], visit: count, does, reasons, results: [...(found?.results ?? [])] };
}

async function requireStep(
  record: RunRecord,
  nodeId: string,
  deps: Pick<ForkDeps, 'store' | 'context'>,
): Promise<void> {
  const newest = await resolveInstalled(deps.store, record.packageName, { isNewest: true });
  const changed = await compareSteps(record, newest, deps);
  if (changed?.removed.includes(nodeId))
    throw new CrewError(
      'RUN_NOT_READY',
      `${record.packageName} ${newest.version} has no step "${nodeId}", so it cannot run again. Start a new run with that version.`,
    );
}
