/**
 * Rehearses a package: drives each of its workflows through the real engine until every reachable edge was followed. Works in
 * a temp folder that is deleted afterwards; the user's project and store are only read.
 */
import { join } from 'node:path';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import type { ReaderKind, ReaderTrial } from '@crewagent/protocol/reader-trials';
import { toStatus } from '@crewagent/protocol/status';
import { type Workflow, withCalled } from '../bmad/check/workflow-package.ts';
import { resolveWorkflow } from '../session/load-workflow.ts';
import { type Count, type Coverage, isShortfall, type Missed, toCoverages } from './coverage.ts';
import type { SharedDeps } from './drive-run.ts';
import { findFailures, findTrialFailures, type RehearsalFailure } from './failures.ts';
import { findPackage, openPackage, type PackageRequest, type PackageSource } from './open-package.ts';
import { inProject, type WithProject } from './project.ts';
import { readSteps } from './read-steps.ts';
import { BROKEN_REFERENCE, type RehearsedRun, rehearseRun } from './run.ts';
import { inTempRoot } from './temp-root.ts';
import { tryReaders } from './trial.ts';

export interface RehearsalRequest extends PackageRequest {
  /** Rehearses only this workflow. */
  readonly workflow?: string | undefined;
  /** Copied for each run; by default a run starts in an empty project. */
  readonly projectPath?: string | undefined;
  /** Tries the workflows as these readers, instead of running every branch. */
  readonly as?: readonly ReaderKind[] | undefined;
  /** By node: what the person says first in each visit, instead of a placeholder. */
  readonly answers?: ReadonlyMap<string, string> | undefined;
  /** Limit per workflow. */
  readonly maxRuns?: number;
  readonly signal?: AbortSignal;
  /** Called after each run. */
  readonly onProgress?: (progress: RehearsalProgress) => void;
  /** Called after each trial. `steps`: of the workflows that were tried. */
  readonly onTrial?: (trial: ReaderTrial, steps: Count) => void;
}

export interface RehearsalProgress {
  readonly workflow: string;
  /** Number of the run of this workflow, from 1. */
  readonly number: number;
  readonly run: RehearsedRun;
  readonly edges: Count;
  /** Nodes of all workflows that are rehearsed. */
  readonly allNodes: Count;
}

export interface RehearsalReport {
  /** Every run completed and found the files its steps name, and everything reachable was covered. */
  readonly ok: boolean;
  /** Empty if `ok`. */
  readonly failures: readonly RehearsalFailure[];
  readonly isStopped: boolean;
  readonly package: { readonly name: string; readonly version: string; readonly hash: string };
  /** Findings of the validation. */
  readonly diagnostics: readonly Diagnostic[];
  /** Empty if the package was tried as readers. */
  readonly workflows: readonly WorkflowRehearsal[];
  readonly trials: readonly ReaderTrial[];
}

export interface WorkflowRehearsal {
  readonly ref: string;
  readonly title: string;
  readonly ok: boolean;
  readonly nodes: Count;
  readonly edges: Count;
  /** Nodes that stop for the person, and those of them where the person was heard. */
  readonly halts: Count;
  /** Files, readings and commands that steps must prove, and those of them that were. */
  readonly checks: Count;
  readonly missed: readonly Missed[];
  readonly runs: readonly RehearsedRun[];
}

/** Throws for an invalid package or an unknown name; errors in runs are part of the report. */
export async function rehearsePackage(request: RehearsalRequest): Promise<RehearsalReport> {
  const source = await findPackage(request);
  return inTempRoot((root) => rehearseIn(root, source, request));
}

async function rehearseIn(
  root: string,
  source: PackageSource,
  request: RehearsalRequest,
): Promise<RehearsalReport> {
  const { context, workflow: requested, as, signal = new AbortController().signal } = request;
  const deps = await openPackage(root, { ...source, context, signal });
  const { store, loaded, packageHash } = deps;
  const chosen =
    requested === undefined
      ? loaded.workflows
      : withCalled([resolveWorkflow(loaded, requested)], loaded.workflows);
  // One after the other under the same name, which may be part of the names of files.
  const withProject: WithProject = (run) =>
    inProject(request.projectPath, join(root, 'project'), { signal, except: root }, run);
  const steps = await readSteps(store.packages.folder(packageHash), chosen);
  const coverages = toCoverages(chosen, steps);
  const workflows: WorkflowRehearsal[] = [];
  for (const workflow of as ? [] : chosen) {
    if (signal.aborted) break;
    workflows.push(await rehearseWorkflow(workflow, deps, { request, withProject, coverages }));
  }
  const trials = as
    ? await tryReaders(as, chosen, { deps, steps, withProject, onTrial: request.onTrial })
    : [];
  const { name, version } = loaded.manifest;
  const failures = as ? findTrialFailures(trials) : findFailures(workflows, chosen, source.diagnostics);
  return {
    ok: !signal.aborted && failures.length === 0,
    failures,
    isStopped: signal.aborted,
    package: { name, version, hash: source.installed ?? packageHash },
    diagnostics: source.diagnostics,
    workflows,
    trials,
  };
}

interface RehearsalParts {
  readonly withProject: WithProject;
  readonly request: RehearsalRequest;
  /** By ref: a run also covers the workflows that it calls. */
  readonly coverages: ReadonlyMap<string, Coverage>;
}

const MAX_RUNS = 200;

async function rehearseWorkflow(
  workflow: Workflow,
  deps: SharedDeps,
  { request, withProject, coverages }: RehearsalParts,
): Promise<WorkflowRehearsal> {
  const { maxRuns = MAX_RUNS, onProgress } = request;
  const { ref, title, graph } = workflow;
  const { signal } = deps;
  const coverage = coverages.get(ref);
  if (!coverage) throw new Error(`no coverage of ${ref}`);
  const runs: RehearsedRun[] = [];
  const chosen = new Map<string, Set<string>>();
  let route = coverage.nextRoute();
  while (route && runs.length < maxRuns && !signal.aborted) {
    const planned = route;
    const walked = await withProject((projectPath) =>
      rehearseRun(graph.entryNodeId, planned, {
        ...deps,
        workflowRef: ref,
        projectPath,
        chosen,
        answers: request.answers,
      }),
    );
    coverage.add(route, walked);
    for (const { workflow: walkedRef, sheet } of walked.evidence)
      coverages.get(walkedRef)?.addEvidence(sheet);
    for (const called of walked.called) coverages.get(called.workflow)?.addCalled(called);
    const run = withDeadEnd(walked.run, workflow);
    runs.push(run);
    onProgress?.({
      workflow: ref,
      number: runs.length,
      run,
      edges: coverage.edges(),
      allNodes: sumOf([...coverages.values()].map((one) => one.nodes())),
    });
    route = coverage.nextRoute();
  }
  const missed = coverage.missed(signal.aborted ? 'stopped' : route && 'limit');
  return {
    ref,
    title,
    ok: !missed.some(isShortfall) && runs.every(isSound),
    nodes: coverage.nodes(),
    edges: coverage.edges(),
    halts: coverage.halts(),
    checks: coverage.checks(),
    missed,
    runs,
  };
}

function sumOf(counts: readonly Count[]): Count {
  return counts.reduce(
    (sum, { covered, total }) => ({ covered: sum.covered + covered, total: sum.total + total }),
    { covered: 0, total: 0 },
  );
}

function isSound(run: RehearsedRun): boolean {
  return toStatus(run).isCompleted && !run.warnings.some(({ code }) => code === BROKEN_REFERENCE);
}

/** The author may have forgotten an edge. */
function withDeadEnd(run: RehearsedRun, { nodes }: Workflow): RehearsedRun {
  const last = run.path.at(-1) ?? '';
  if (!toStatus(run).isCompleted || nodes.get(last)?.type === 'end') return run;
  const message = `The run ended at "${last}", which is not an end node: it has no outgoing edge.`;
  return { ...run, warnings: [...run.warnings, { code: 'dead-end', message }] };
}
