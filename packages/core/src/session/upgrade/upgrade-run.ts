/**
 * Moves a run to another version of its package, after a person has seen the plan. One write of the record decides; what follows from
 * it is completed by whoever opens the run next (`engine/finish-upgrade`), usually at once.
 */
import type { RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../../base/crew-error.ts';
import { resolveInstalled } from '../../bmad/installed-packages.ts';
import { findRoot, resolveRun } from '../../store/find-works.ts';
import type { Store } from '../../store/store.ts';
import { planUpgrade, type UpgradeDeps, type UpgradePlan, type UpgradeSource } from './plan-upgrade.ts';

export interface UpgradeRequest {
  readonly run: string;
  /** Version or id of an installed package; the newest version by default. */
  readonly version?: string | undefined;
  /** The step to continue at; default: the current one. */
  readonly nodeId?: string | undefined;
  /** Shows the plan to a person. Resolves to false if the run is to stay, to a node if it is to continue there. */
  confirm(plan: UpgradePlan): Promise<boolean | string>;
}

export interface UpgradedRun {
  readonly plan: UpgradePlan;
  /** False if the person declined, or the run has this version already. */
  readonly isMoved: boolean;
}

export async function upgradeRun(request: UpgradeRequest, deps: UpgradeDeps): Promise<UpgradedRun> {
  const { store } = deps;
  const address = await findRoot(store, await resolveRun(store, request.run));
  // Held until the record is written: nobody drives the run meanwhile.
  const lease = await store.works.lease(address);
  try {
    const record = await store.works.read(address);
    const to = await resolveVersion(record, request.version, store);
    const plan = await planUpgrade(record, to, deps);
    if (to.hash === record.packageHash) return { plan, isMoved: false };
    const answer = await request.confirm(plan);
    if (answer === false) return { plan, isMoved: false };
    const chosen = request.nodeId ?? (typeof answer === 'string' ? answer : undefined);
    await store.works.update<RunRecord>(address, (latest) => toMoved(latest, plan, chosen, deps.now));
    return { plan, isMoved: true };
  } finally {
    await lease.release();
  }
}

/** The record of a run that is not stored yet, with the newest version. */
export async function toNewest(
  record: RunRecord,
  source: UpgradeSource,
  deps: UpgradeDeps,
): Promise<RunRecord> {
  const to = await resolveVersion(record, undefined, deps.store);
  return toMoved(record, await planUpgrade(record, to, deps, source), undefined, deps.now);
}

/** What a move to the newest version would change; undefined if the run has it. Nobody needs to hold the run for it. */
export async function planNewest(run: string, deps: UpgradeDeps): Promise<UpgradePlan | undefined> {
  const { store } = deps;
  const record = await store.works.read(await findRoot(store, await resolveRun(store, run)));
  const to = await resolveVersion(record, undefined, store);
  return to.hash === record.packageHash ? undefined : planUpgrade(record, to, deps);
}

function resolveVersion({ packageName: name }: RunRecord, version: string | undefined, store: Store) {
  const isId = version !== undefined && /^[0-9a-f]{12,64}$/.test(version);
  const ref = version === undefined ? name : isId ? version : `${name}@${version}`;
  return resolveInstalled(store, ref, { isNewest: true });
}

function toMoved(
  record: RunRecord,
  plan: UpgradePlan,
  chosen: string | undefined,
  now: () => Date,
): RunRecord {
  const { to, changes, nodeId, target, stale, variables, workflowTitle, activeAgentId } = plan;
  const next = chosen ?? target;
  if (next === undefined || !plan.nodes.some(({ id }) => id === next)) throw noSuchStep(plan, chosen);
  const isOther = next !== nodeId || changes.nodes.changed.includes(next);
  return {
    ...record,
    packageHash: to.hash,
    packageVersion: to.version,
    workflowTitle,
    activeAgentId,
    updatedAt: now().toISOString(),
    upgrade: {
      from: { version: record.packageVersion, hash: record.packageHash },
      changes: changes.nodes,
      stale: [...stale],
      restartAt: isOther ? next : undefined,
      variables: { ...variables },
    },
  };
}

function noSuchStep({ to, nodeId, nearest }: UpgradePlan, chosen: string | undefined): CrewError {
  const missing =
    chosen === undefined
      ? `The run is at "${nodeId}", which ${to.name} ${to.version} does not have.`
      : `${to.name} ${to.version} has no step "${chosen}".`;
  return new CrewError(
    'RUN_NOT_READY',
    `${missing} Choose the step to continue at with --node; the nearest is "${nearest}".`,
    {
      details: { nearest },
    },
  );
}
