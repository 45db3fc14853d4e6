/**
 * What it means to move a run to another version of its package: where it would continue, which steps differ, which of its files
 * come from steps that changed. Changes nothing.
 */
import type { InstalledPackage } from '@crewagent/protocol/installed-package';
import type { WorkflowChanges } from '@crewagent/protocol/package-changes';
import type { RunRecord } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { CrewError } from '../../base/crew-error.ts';
import type { ValidationContext } from '../../bmad/check/validate-package.ts';
import type { Workflow } from '../../bmad/check/workflow-package.ts';
import { compareWorkflows } from '../../bmad/compare-packages.ts';
import type { Store } from '../../store/store.ts';
import { type RunAddress, toAddress } from '../../store/work-address.ts';
import { toInputVariables } from '../../workflow/resolve-inputs.ts';
import { effectiveNode } from '../../workflow/transition.ts';
import { readWorkflowState, type WorkflowState } from '../../workflow/workflow-state.ts';
import { resolveAgent } from '../load-workflow.ts';
import { loadInputs } from '../typed-inputs.ts';
import { loadInstalledVersion } from './installed-version.ts';

export interface UpgradeDeps {
  readonly store: Store;
  readonly context: ValidationContext;
  readonly now: () => Date;
}

export interface UpgradePlan {
  readonly record: RunRecord;
  readonly to: InstalledPackage;
  readonly changes: WorkflowChanges;
  /** Where the run is. */
  readonly nodeId: string;
  /** Where it continues: the same node, maybe under another id; undefined if the new version does not have it. */
  readonly target: string | undefined;
  /** The last completed step that the new version has, else its first one. */
  readonly nearest: string;
  /** Of the new version. */
  readonly nodes: readonly { readonly id: string; readonly title: string }[];
  /** Files of the project that steps wrote which changed or are gone. */
  readonly stale: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly workflowTitle: string;
  readonly activeAgentId: string;
}

/** Of a run that is not stored yet. */
export interface UpgradeSource {
  readonly state: string;
  /** The run whose log says who wrote its files. */
  readonly log: RunAddress;
}

/** Throws RUN_NOT_READY with a sentence if the run cannot be moved. */
export async function planUpgrade(
  record: RunRecord,
  to: InstalledPackage,
  { store, context, now }: UpgradeDeps,
  source?: UpgradeSource,
): Promise<UpgradePlan> {
  requireMovable(record, to);
  const address = source?.log ?? toAddress(record);
  const parsed = await readWorkflowState(source?.state ?? (await store.works.openState(address).read()).text);
  if (!parsed.ok) throw new CrewError('STATE_DAMAGED', 'The state document of the run cannot be read.');
  const { state } = parsed;
  if (state.callStack.length > 0)
    throw new CrewError(
      'RUN_NOT_READY',
      'The run is in a workflow that it called, which is bound to the same version. Finish or skip that one first.',
    );
  const [before, after] = [
    await loadInstalledVersion(record.packageHash, store, context),
    await loadInstalledVersion(to.hash, store, context),
  ];
  const [old, next] = [before, after].map(({ package: { workflows } }) =>
    workflows.find(({ ref }) => ref === record.workflowRef),
  );
  if (!old || !next)
    throw new CrewError(
      'WORKFLOW_NOT_FOUND',
      `${to.name} ${to.version} has no workflow "${record.workflowRef}", so the run stays with ${record.packageVersion}.`,
    );
  const changes = compareWorkflows({ before, after }, old, next);
  const nodeId = effectiveNode(state, old.graph);
  const renamed = changes.nodes.renamed.find(({ from }) => from === nodeId)?.to;
  return {
    record,
    to,
    changes,
    nodeId,
    target: renamed ?? (next.nodes.has(nodeId) ? nodeId : undefined),
    nearest: state.stepsCompleted.findLast((id) => next.nodes.has(id)) ?? next.graph.entryNodeId,
    nodes: [...next.nodes.values()].map(({ id, title }) => ({ id, title })),
    stale: await findStale(address, changes, state, store),
    variables: await findNewVariables(record, to.hash, next, state, { store, now }),
    workflowTitle: next.title,
    activeAgentId: after.package.agents.some(({ id }) => id === record.activeAgentId)
      ? record.activeAgentId
      : resolveAgent(after.package, next, undefined),
  };
}

function requireMovable(record: RunRecord, to: InstalledPackage): void {
  const { isCompleted, isRunning } = toStatus(record);
  const reason =
    record.call !== undefined
      ? 'The run was called by another one. Move that one.'
      : isCompleted
        ? 'The run is complete. Start a new one with the new version.'
        : isRunning
          ? 'The run is in progress. Stop it first.'
          : record.packageName !== to.name
            ? `The run is one of ${record.packageName}, not of ${to.name}.`
            : undefined;
  if (reason !== undefined) throw new CrewError('RUN_NOT_READY', reason);
}

/** By the step that wrote each file last. */
async function findStale(
  address: RunAddress,
  { nodes }: WorkflowChanges,
  { artifacts }: WorkflowState,
  { works }: Store,
): Promise<string[]> {
  const writers = new Map<string, string | undefined>();
  await works.readLog(address, (event) => {
    if (event.type === 'artifact.written') writers.set(event.path.replace(/^@project\//, ''), event.nodeId);
  });
  const outdated = new Set([...nodes.changed, ...nodes.removed]);
  return artifacts.filter((path) => outdated.has(writers.get(path) ?? ''));
}

/** The values that a new run would have, of variables that this one has not. */
async function findNewVariables(
  { projectId }: RunRecord,
  hash: string,
  { workflowPath, typedInputs }: Workflow,
  state: WorkflowState,
  { store, now }: Pick<UpgradeDeps, 'store' | 'now'>,
): Promise<Record<string, unknown>> {
  const template = await readWorkflowState(
    (await store.packages.seal(hash)).read(workflowPath).toString('utf8'),
  );
  const initial = {
    ...(template.ok ? template.state.variables : {}),
    ...toInputVariables(await loadInputs(typedInputs, projectId, { store, now })),
  };
  return Object.fromEntries(
    Object.entries(initial).filter(([name]) => !Object.hasOwn(state.variables, name)),
  );
}
