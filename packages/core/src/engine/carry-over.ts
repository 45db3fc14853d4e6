/** Takes over a visit of the run that is made again, instead of making it: the state changes as it did then, by a legal transition. */
import type { LiveRun } from './live-run.ts';
import type { RunPosition } from './run-position.ts';

/** Whether the run has moved on. A visit that has begun, or in which a person said something, is made. */
export async function carryOver(run: LiveRun, { at, isComplete }: RunPosition): Promise<boolean> {
  const { gate, sources, memory, emit } = run;
  const { visit, inputs } = memory;
  if (!sources.carryOver || !gate || !at || isComplete) return false;
  const nodeId = at.node.id;
  if (visit.nodeId !== nodeId || visit.hasBegun || inputs.length > 0) return false;
  const carried = await sources.carryOver.find(at.state);
  if (!carried) return false;
  const { from, outcome, files, ...change } = carried;
  const to = change.update.currentNodeId?.set;
  const isLegal = to === undefined || gate.graph.edges.some((edge) => edge.from === nodeId && edge.to === to);
  if (!isLegal) return false;
  // A process that died after this has said it already.
  if (!visit.isCarried) emit({ type: 'visit.carried', nodeId, visit: visit.visit, from, outcome, files });
  // Before the document: it is not left without the reason.
  await run.saveInput();
  await gate.amend(() => Promise.resolve({ ...change, notes: [`carried over from ${from.runId}`] }));
  return true;
}
