/**
 * Where a run is, from its state document, its package and its journal: the cost does not grow with its log. For lists of runs that
 * wait.
 */
import type { JournalRecord } from '@crewagent/protocol/journal';
import { CrewError } from '../base/crew-error.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import type { Store } from '../store/store.ts';
import type { RunAddress } from '../store/work-address.ts';
import { readWorkflowState } from '../workflow/workflow-state.ts';
import { loadInstalled, resolveWorkflow } from './load-workflow.ts';

export interface StopPosition {
  /** Of the step; its id if it has none. */
  readonly title: string;
  /** Number of files the run, and those that it called, have written, wherever they are; without those that are deleted or undone. */
  readonly files: number;
  /** Whether there is a step to return to. */
  readonly canGoBack: boolean;
}

/** Undefined if the state document or the package cannot be read; the screen of the run says why. */
export async function readPosition(
  store: Store,
  address: RunAddress,
  context: ValidationContext,
): Promise<StopPosition | undefined> {
  const { packageHash, workflowRef } = await store.works.read(address);
  try {
    const parsed = await readWorkflowState((await store.works.openState(address).read()).text);
    if (!parsed.ok) return undefined;
    const { currentNodeId, stepsCompleted, artifacts } = parsed.state;
    const { nodes } = resolveWorkflow(await loadInstalled(packageHash, store, context), workflowRef);
    return {
      title: nodes.get(currentNodeId)?.title || currentNodeId,
      files: await countFiles(store, address, artifacts),
      canGoBack: stepsCompleted.some((nodeId) => nodeId !== currentNodeId),
    };
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    return undefined;
  }
}

/** Artifacts are known from the state document: a command may have written them, which no journal contains. */
async function countFiles(
  { works }: Store,
  address: RunAddress,
  artifacts: readonly string[],
): Promise<number> {
  const tree = [address, ...(await works.children(address))];
  const journals = await Promise.all(tree.map((run) => works.readJournal(run)));
  const changed = journals.flatMap(({ records }) => listChanged(records));
  const isThere = new Map([...artifacts.map((path) => [toInside(path), true] as const), ...changed]);
  return [...isThere.values()].filter(Boolean).length;
}

/** Each file that was changed, and whether something of the change is left. */
function listChanged(records: readonly JournalRecord[]): [path: string, isLeft: boolean][] {
  const done = new Set(records.filter(({ type }) => type === 'step.done').map(({ id }) => id));
  const changes = new Map<string, { readonly before: string | undefined; after: string | undefined }>();
  for (const step of records) {
    if (step.type === 'step.done' || step.type === 'step.abandoned' || !done.has(step.id)) continue;
    const after = step.after?.sha256;
    const change = changes.get(step.path);
    if (change) change.after = after;
    else changes.set(step.path, { before: step.before?.sha256, after });
  }
  return [...changes].map(([path, { before, after }]) => [
    toInside(path),
    after !== undefined && after !== before,
  ]);
}

const toInside = (path: string): string => path.replace(/^@project\//, '');
