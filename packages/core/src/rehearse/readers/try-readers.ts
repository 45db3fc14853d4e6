/** The trials of a package: every workflow as every reader, one after the other. */
import type { ReaderKind, ReaderTrial } from '@crewagent/protocol/reader-trials';
import type { Workflow } from '../../bmad/workflow-package.ts';
import type { Count } from '../coverage.ts';
import type { SharedDeps } from '../drive-run.ts';
import type { WithProject } from '../project.ts';
import { type TrialDeps, tryReader } from './trial.ts';

export interface TrialParts {
  readonly deps: SharedDeps;
  readonly steps: TrialDeps['steps'];
  readonly withProject: WithProject;
  /** `done`: steps of the workflows that were tried. */
  readonly onTrial: ((trial: ReaderTrial, done: Count) => void) | undefined;
}

/** Ends early when it is aborted, with the trials before. */
export async function tryReaders(
  kinds: readonly ReaderKind[],
  workflows: readonly Workflow[],
  { deps, steps, withProject, onTrial }: TrialParts,
): Promise<ReaderTrial[]> {
  const trials: ReaderTrial[] = [];
  const total = kinds.length * workflows.reduce((sum, { graph }) => sum + graph.nodes.length, 0);
  let covered = 0;
  for (const as of kinds) {
    for (const workflow of workflows) {
      if (deps.signal.aborted) return trials;
      const trial = await withProject((projectPath) =>
        tryReader(as, workflow, { ...deps, workflowRef: workflow.ref, projectPath, workflows, steps }),
      );
      if (deps.signal.aborted) return trials;
      trials.push(trial);
      covered += workflow.graph.nodes.length;
      onTrial?.(trial, { covered, total });
    }
  }
  return trials;
}
