/**
 * Called runs by the node that called them, and the path from a called run to the root. Pure.
 */
import type { Story } from '@crewagent/protocol/story/story';
import type { TrailStep } from '../call-trail.tsx';
import { type Progress, toProgress } from './to-progress.ts';

export type Runs = ReadonlyMap<string, Readonly<Story>>;

/** By the calling node. */
export type CalledRuns = ReadonlyMap<string, CalledRun>;

export interface CalledRun {
  readonly runId: string;
  readonly title: string;
  readonly progress: Progress;
  readonly called: CalledRuns;
}

/** The last call of each node: a loop calls again each time. */
export function toCalledRuns({ calls }: Readonly<Story>, runs: Runs): CalledRuns {
  return new Map(
    calls.flatMap(({ nodeId, childId, title }) => {
      const run = runs.get(childId);
      if (!run) return [];
      const called: CalledRun = {
        runId: childId,
        title,
        progress: toProgress(run, undefined),
        called: toCalledRuns(run, runs),
      };
      return [[nodeId, called] as const];
    }),
  );
}

/** From the root run to this one. */
export function toTrail(view: Readonly<Story>, runs: Runs): TrailStep[] {
  const step = { id: view.runId, title: view.workflow?.title || view.workflow?.ref || view.runId };
  const caller = view.caller && runs.get(view.caller.parentId);
  return caller ? [...toTrail(caller, runs), step] : [step];
}
