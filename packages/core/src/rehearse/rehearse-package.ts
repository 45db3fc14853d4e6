/**
 * Rehearses a package: drives each of its workflows through the real engine until every reachable edge was followed. Works in
 * a temp folder that is deleted afterwards; the user's project and store are only read.
 */
import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import { settingsSchema } from '@crewagent/protocol/settings';
import { toStatus } from '@crewagent/protocol/status';
import { withDiskErrors } from '../base/errno.ts';
import { removeTree } from '../base/remove-tree.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { importPackage } from '../bmad/import-package.ts';
import { inspectPackage, invalidPackage } from '../bmad/load-package.ts';
import type { ValidationContext } from '../bmad/validate-package.ts';
import { type Workflow, withCalled } from '../bmad/workflow-package.ts';
import { loadInstalled, pinPackage, resolveWorkflow } from '../session/load-workflow.ts';
import { openMemoryStore } from '../store/open-memory-store.ts';
import type { UserStore } from '../store/store.ts';
import { type Count, type Coverage, createCoverage, isShortfall, type Missed } from './coverage.ts';
import { findFailures, type RehearsalFailure } from './failures.ts';
import { copyProject } from './project.ts';
import { type RehearsalDeps, type RehearsedRun, rehearseRun } from './run.ts';
import { BROKEN_REFERENCE } from './walk.ts';

export interface RehearsalRequest {
  /** A `.bmad` file, a package folder, or an installed id. */
  readonly package: string;
  /** Rehearses only this workflow. */
  readonly workflow?: string | undefined;
  /** Store in which installed packages are looked up. */
  readonly store?: UserStore | undefined;
  /** Copied for each run; by default a run starts in an empty project. */
  readonly projectPath?: string | undefined;
  readonly context: ValidationContext;
  /** Limit per workflow. */
  readonly maxRuns?: number;
  readonly signal?: AbortSignal;
  /** Called after each run. */
  readonly onProgress?: (progress: RehearsalProgress) => void;
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
  readonly workflows: readonly WorkflowRehearsal[];
}

export interface WorkflowRehearsal {
  readonly ref: string;
  readonly title: string;
  readonly ok: boolean;
  readonly nodes: Count;
  readonly edges: Count;
  readonly missed: readonly Missed[];
  readonly runs: readonly RehearsedRun[];
}

/** Throws for an invalid package or an unknown name; errors in runs are part of the report. */
export async function rehearsePackage(request: RehearsalRequest): Promise<RehearsalReport> {
  const source = await findPackage(request);
  const failure = 'Could not create a folder for the rehearsal';
  const tempRoot = await withDiskErrors(failure, () => mkdtemp(join(tmpdir(), 'crewagent-rehearse-')));
  try {
    return await rehearseIn(await realpath(tempRoot), source, request);
  } finally {
    await removeTree(tempRoot);
  }
}

interface PackageSource {
  readonly path: string;
  /** Of an installed package; a package given by path gets a hash when it is installed for the rehearsal. */
  readonly hash?: string;
  readonly diagnostics: readonly Diagnostic[];
}

async function findPackage({ package: ref, store, context }: RehearsalRequest): Promise<PackageSource> {
  const { diagnostics, package: found } = await inspectPackage(ref, context);
  if (found) return { path: ref, diagnostics };
  const exists = diagnostics.some(({ code }) => code !== 'NOT_FOUND');
  if (exists || !store) throw invalidPackage(ref, diagnostics);
  const hash = await pinPackage(ref, store, context);
  const path = store.packages.folder(hash);
  const installed = await inspectPackage(path, context, { isInstalled: true });
  if (!installed.package) throw invalidPackage(hash.slice(0, 12), installed.diagnostics);
  return { path, hash, diagnostics: installed.diagnostics };
}

async function rehearseIn(
  root: string,
  source: PackageSource,
  request: RehearsalRequest,
): Promise<RehearsalReport> {
  const { context, workflow: requested, signal = new AbortController().signal } = request;
  const now = (): Date => new Date();
  const store = openMemoryStore(root);
  const { package: installed } = await importPackage(source.path, store, context, {
    isPrivate: true,
    isInstalled: source.hash !== undefined,
  });
  const loaded = await loadInstalled(installed.hash, store, context);
  const chosen =
    requested === undefined
      ? loaded.workflows
      : withCalled([resolveWorkflow(loaded, requested)], loaded.workflows);
  const coverages = new Map(chosen.map(({ ref, graph }) => [ref, createCoverage(graph)]));
  const deps = {
    store,
    // Default settings, so that the report is the same on every machine.
    settings: settingsSchema.parse({}),
    context,
    packageHash: installed.hash,
    now,
    newId: createUuidV7(now),
    signal,
  };
  await mkdir(join(root, 'projects'), { mode: 0o700 });
  const workflows: WorkflowRehearsal[] = [];
  for (const workflow of chosen) {
    if (signal.aborted) break;
    workflows.push(await rehearseWorkflow(workflow, deps, { root, request, coverages }));
  }
  const { name, version } = loaded.manifest;
  const failures = findFailures(workflows, chosen, source.diagnostics);
  return {
    ok: !signal.aborted && failures.length === 0,
    failures,
    isStopped: signal.aborted,
    package: { name, version, hash: source.hash ?? installed.hash },
    diagnostics: source.diagnostics,
    workflows,
  };
}

interface RehearsalParts {
  readonly root: string;
  readonly request: RehearsalRequest;
  /** By ref: a run also covers the workflows that it calls. */
  readonly coverages: ReadonlyMap<string, Coverage>;
}

const MAX_RUNS = 200;

async function rehearseWorkflow(
  workflow: Workflow,
  deps: Omit<RehearsalDeps, 'projectPath' | 'workflowRef' | 'chosenAt'>,
  { root, request, coverages }: RehearsalParts,
): Promise<WorkflowRehearsal> {
  const { maxRuns = MAX_RUNS, onProgress } = request;
  const { ref, title, graph } = workflow;
  const { signal } = deps;
  const coverage = coverages.get(ref) ?? createCoverage(graph);
  const runs: RehearsedRun[] = [];
  const chosen = new Map(graph.nodes.map(({ id }) => [id, new Set<string>()]));
  const chosenAt = (nodeId: string): Set<string> => chosen.get(nodeId) ?? new Set();
  let route = coverage.nextRoute();
  while (route && runs.length < maxRuns && !signal.aborted) {
    const projectPath = join(root, 'projects', deps.newId());
    await copyProject(request.projectPath, projectPath, { signal, except: root });
    const walked = await rehearseRun(graph.entryNodeId, route, {
      ...deps,
      workflowRef: ref,
      projectPath,
      chosenAt,
    });
    await removeTree(projectPath);
    coverage.add(route, walked);
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
