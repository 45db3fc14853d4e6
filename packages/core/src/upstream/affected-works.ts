/**
 * What a new version of a package would mean for the unfinished runs of its other versions. A run stays pinned to its version; this
 * is what a person reads before moving one.
 */
import type { RunRecord } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { ifPossible } from '../base/crew-error.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { compareWorkflows, type PackageVersion } from '../bmad/compare-packages.ts';
import { loadInstalledVersion } from '../session/upgrade/installed-version.ts';
import { listRuns } from '../store/find-works.ts';
import type { Store } from '../store/store.ts';
import { toAddress } from '../store/work-address.ts';
import { readWorkflowState } from '../workflow/workflow-state.ts';

export interface AffectedWork {
  readonly workId: string;
  readonly version: string;
  readonly workflow: string;
  readonly nodeId: string;
  /** `unchanged`: the step that the run is at is the same in the new version. */
  readonly finding: 'workflow-removed' | 'step-removed' | 'step-renamed' | 'step-changed' | 'unchanged';
  /** Its new id, if the step was renamed. */
  readonly renamedTo?: string | undefined;
}

/** Unfinished runs that a person started, newest first. Runs that cannot be read are left out: their own screen says why. */
export async function findAffectedWorks(
  store: Store,
  next: PackageVersion,
  context: ValidationContext,
): Promise<AffectedWork[]> {
  const runs = (await listRuns(store)).flatMap(({ record }) =>
    record && isAffected(record, next) ? [record] : [],
  );
  const affected: AffectedWork[] = [];
  for (const record of runs) {
    const found = await ifPossible(toAffected(record, next, { store, context }));
    if (found) affected.push(found);
  }
  return affected;
}

function isAffected(record: RunRecord, { package: { manifest } }: PackageVersion): boolean {
  return record.packageName === manifest.name && !record.call && !toStatus(record).isCompleted;
}

async function toAffected(
  record: RunRecord,
  next: PackageVersion,
  { store, context }: { store: Store; context: ValidationContext },
): Promise<AffectedWork> {
  const { text } = await store.works.openState(toAddress(record)).read();
  const parsed = await readWorkflowState(text);
  const before = await loadInstalledVersion(record.packageHash, store, context);
  const [old, now] = [before, next].map(({ package: { workflows } }) =>
    workflows.find(({ ref }) => ref === record.workflowRef),
  );
  const nodeId = (parsed.ok && parsed.state.currentNodeId) || (old?.graph.entryNodeId ?? '');
  const facts = {
    workId: record.workId,
    version: record.packageVersion,
    workflow: record.workflowRef,
    nodeId,
  };
  if (!old || !now) return { ...facts, finding: 'workflow-removed' };
  const { nodes } = compareWorkflows({ before, after: next }, old, now);
  const renamedTo = nodes.renamed.find(({ from }) => from === nodeId)?.to;
  if (renamedTo !== undefined) return { ...facts, finding: 'step-renamed', renamedTo };
  if (nodes.removed.includes(nodeId)) return { ...facts, finding: 'step-removed' };
  return { ...facts, finding: nodes.changed.includes(nodeId) ? 'step-changed' : 'unchanged' };
}
