/**
 * The runs of sub-workflows below the steps that called them, and the way back up from one. Pure.
 */
import type { RunView } from '@crewagent/protocol/run-view';
import type { TrailStep } from '../call-trail.tsx';
import { type Progress, toProgress } from './to-progress.ts';

export type Runs = ReadonlyMap<string, Readonly<RunView>>;

/** By the node that made the call. */
export type CalledRuns = ReadonlyMap<string, CalledRun>;

export interface CalledRun {
  readonly runId: string;
  readonly title: string;
  readonly progress: Progress;
  readonly called: CalledRuns;
}

/** Of each node the last call: a loop calls anew each time. */
export function toCalledRuns({ calls }: Readonly<RunView>, runs: Runs): CalledRuns {
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

/** From the run at the root down to this one. */
export function toTrail(view: Readonly<RunView>, runs: Runs): TrailStep[] {
  const step = { id: view.runId, title: view.workflow?.title || view.workflow?.ref || view.runId };
  const caller = view.caller && runs.get(view.caller.parentId);
  return caller ? [...toTrail(caller, runs), step] : [step];
}
