/** Turns, usage and files of a run together with those of the workflows that it called. One fold for pages, terminals and exports. */
import { addUsage, type Usage } from '../model.ts';
import type { Story } from './story.ts';

export type Runs = ReadonlyMap<string, Readonly<Story>>;

/** Requests of a run and of all calls that it made. */
export function treeTurns({ turns, calls }: Readonly<Story>, runs: Runs): number {
  return calls.reduce((sum, { childId, turns: known }) => {
    const called = runs.get(childId);
    // A call that has ended says it; logs of earlier versions do not.
    return sum + (known ?? (called ? treeTurns(called, runs) : 0));
  }, turns);
}

/** Of a run and of the call that it waits for; those that ended are in its own usage. */
export function treeUsage(
  view: Readonly<Story>,
  runs: Runs,
  which: 'usage' | 'usageBefore' = 'usage',
): Usage {
  return openCalls(view, runs).reduce(
    (sum, called) => addUsage(sum, treeUsage(called, runs, which)),
    view[which],
  );
}

/** Full mount paths of the files that a run has written, with those of the call that it waits for; each once. */
export function treeFiles(view: Readonly<Story>, runs: Runs): string[] {
  const own = view.visits.flatMap(({ files = [] }) => files);
  return [...new Set([...own, ...openCalls(view, runs).flatMap((called) => treeFiles(called, runs))])];
}

/** The runs that it called and waits for. */
export function openCalls({ calls }: Readonly<Story>, runs: Runs): Readonly<Story>[] {
  return calls.flatMap(({ childId, outcome }) => (outcome === undefined ? (runs.get(childId) ?? []) : []));
}
