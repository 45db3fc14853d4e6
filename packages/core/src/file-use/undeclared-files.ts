/** Files that the steps of a run used and did not declare, for an author to add. */
import type { UndeclaredFile } from '@crewagent/protocol/api/file-use';
import type { FileVisit } from '@crewagent/protocol/file-use';
import { CrewError } from '../base/crew-error.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { loadInstalled, toPlan } from '../session/load-workflow.ts';
import type { Store } from '../store/store.ts';
import { type RunAddress, runBeside } from '../store/work-address.ts';
import { createFileRights } from '../tools/file-rights.ts';
import { pathValuesOf, readWorkflowState } from '../workflow/workflow-state.ts';
import { readFileVisits } from './read-visits.ts';

interface UndeclaredDeps {
  readonly store: Store;
  readonly context: ValidationContext;
}

/** Each file once for a node and kind of access, in the order in which they were used. */
export async function readUndeclared(address: RunAddress, deps: UndeclaredDeps): Promise<UndeclaredFile[]> {
  const visits = await readFileVisits(address, deps.store);
  const found = new Map<string, UndeclaredFile>();
  for (const runId of new Set(visits.map((visit) => visit.runId))) {
    const own = visits.filter((visit) => visit.runId === runId && !visit.isRewound);
    for (const file of await findIn(runBeside(address, runId), own, deps))
      found.set(JSON.stringify([file.workflowRef, file.nodeId, file.access, file.path]), file);
  }
  return [...found.values()];
}

/** With the variables that the run has now: those of a loop had other values. */
async function findIn(
  address: RunAddress,
  visits: readonly FileVisit[],
  { store, context }: UndeclaredDeps,
): Promise<UndeclaredFile[]> {
  const record = await store.works.read(address);
  const plan = toPlan(await loadInstalled(record.packageHash, store, context), record.workflowRef);
  const read = await readWorkflowState((await store.works.openState(address).read()).text);
  if (!read.ok) throw new CrewError('STATE_DAMAGED', 'The state document of the run cannot be read.');
  const { inputDocuments: given } = read.state;
  let nodeId: string | undefined;
  const position = async () => ({ nodeId, variables: pathValuesOf(read.state), given });
  const rights = createFileRights(plan, record.tools.artifactsDir, position, () => Promise.resolve(true));
  const files: UndeclaredFile[] = [];
  for (const { nodes, touches } of visits) {
    nodeId = nodes.at(-1) ?? '';
    // A step that the package no longer has declares nothing.
    if (!plan.nodes.has(nodeId)) continue;
    const declared = await rights.now();
    for (const { kind: access, path } of touches)
      if (declared.findUndeclared(access, path))
        files.push({ workflowRef: record.workflowRef, nodeId, access, path });
  }
  return files;
}
