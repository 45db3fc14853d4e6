/**
 * Opens a run for this process: takes its lock, puts its parts together, and lets go of all of them at the end.
 */
import { stat } from 'node:fs/promises';
import type { RunModel } from '@crewagent/protocol/model';
import type { RunPhase, RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import { sweepTempFiles } from '../base/staging.ts';
import type { ValidationContext } from '../bmad/validate-package.ts';
import type { WorkflowPackage } from '../bmad/workflow-package.ts';
import type { StandingApprovals } from '../engine/engine-sources.ts';
import { type ExecutionEngine, openExecutionEngine } from '../engine/execution-engine.ts';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/secret-files.ts';
import { type Journal, openJournal } from '../store/journal.ts';
import type { RunAddress, RunPaths, StoreLayout } from '../store/layout.ts';
import { addStandingApproval, readProject } from '../store/project-store.ts';
import { takeRunLock } from '../store/run-lock.ts';
import { openRunLog } from '../store/run-log.ts';
import { readRunRecord, writeRunRecord } from '../store/run-store.ts';
import { clearStop, watchForStop } from '../store/stop-request.ts';
import { loadInstalled, resolveWorkflow } from './load-workflow.ts';

export interface OpenRun {
  readonly record: RunRecord;
  /** The person's folder. */
  readonly projectPath: string;
  readonly engine: ExecutionEngine;
  /** What it changed, to be looked at; `openChanges` takes it back. */
  readonly journal: Pick<Journal, 'list'>;
  /** Stops the run if it goes on, and unlocks it. */
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly store: StoreLayout;
  readonly context: ValidationContext;
  readonly now: () => Date;
  /** The run's package, if it was loaded a moment ago. */
  readonly loaded?: WorkflowPackage | undefined;
  /** Drives the run from now on, instead of the one it was started with. */
  readonly model?: RunModel | undefined;
  createAdapter(model: RunModel): Promise<LLMAdapter>;
  onBug(id: string, error: unknown): void;
}

export async function openRun(address: RunAddress, options: OpenOptions): Promise<OpenRun> {
  const paths = options.store.run(address);
  const lock = await takeRunLock(paths.lock);
  try {
    const { run, close } = await assemble(address, paths, options);
    return {
      ...run,
      async close() {
        try {
          await close();
        } finally {
          await lock.release();
        }
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function assemble(address: RunAddress, paths: RunPaths, options: OpenOptions) {
  const { store, now, onBug } = options;
  const found = await readRunRecord(store, address);
  const record = options.model ? { ...found, model: options.model } : found;
  const project = await readProject(store, record.projectId);
  await requireFolder(project.path);
  const loaded = options.loaded ?? (await loadPinned(record, paths, options));
  const workflow = resolveWorkflow(loaded, record.workflowRef);
  await sweepTempFiles(paths.state);
  const isSecret = createSecretCheck(record.tools.fs.secretPatterns);
  const pkg = store.packageFolder(record.packageHash);
  const files = createMountedFs({ project: project.path, pkg, state: paths.state }, isSecret);
  const warnings: string[] = [];
  const warn = (message: string): void => {
    warnings.push(message);
  };
  const journal = await openJournal({ folder: paths.journal, files, clock: now, warn });
  const adapter = await options.createAdapter(record.model);
  const savePhase = createPhaseSaver(record, store, now);
  const engine = await openExecutionEngine({
    record,
    plan: workflow,
    agents: loaded.agents,
    files,
    isSecret,
    openLog: (onEvent) => openRunLog({ file: paths.log, runId: record.runId, now, onEvent }),
    journal,
    adapter,
    approvals: standingApprovals(store, record, project.approvals),
    clock: { now, monotonicMs: () => performance.now() },
    savePhase,
    onBug,
  });
  for (const message of warnings) engine.emit({ type: 'warning', message });
  await clearStop(paths.stop);
  const unwatch = watchForStop(paths.stop, () => void engine.stop());
  return {
    run: {
      record,
      projectPath: project.path,
      engine,
      journal,
    },
    async close() {
      unwatch();
      try {
        await engine.close();
      } finally {
        adapter.close();
      }
    },
  };
}

/** A folder that is gone may be on a drive that is not there now: the run stays as it is. */
export async function requireFolder(path: string): Promise<void> {
  const isThere = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isThere) return;
  throw new CrewError(
    'PROJECT_NOT_FOUND',
    `The folder of this run's project, "${path}", is not there; put it back, then try again.`,
  );
}

/** A run whose package is gone has failed, until the package is back. */
async function loadPinned(record: RunRecord, paths: RunPaths, { store, context, now }: OpenOptions) {
  try {
    return await loadInstalled(record.packageHash, store, context);
  } catch (error) {
    if (!(error instanceof CrewError) || !['PACKAGE_NOT_FOUND', 'PACKAGE_INVALID'].includes(error.code))
      throw error;
    // What is complete stays complete.
    if (record.phase === 'Completed') throw error;
    const reason = { code: error.code, message: error.message };
    const log = await openRunLog({ file: paths.log, runId: record.runId, now });
    try {
      if (record.phase !== 'Failed') log.append({ type: 'phase.changed', phase: 'Failed', reason });
    } finally {
      await log.close();
    }
    await createPhaseSaver(record, store, now)('Failed', reason);
    throw new CrewError(error.code, error.message, {
      details: { ...error.details, phase: 'Failed' },
      cause: error,
    });
  }
}

function createPhaseSaver(record: RunRecord, store: StoreLayout, now: () => Date) {
  return async (phase: RunPhase, reason: RunRecord['reason']): Promise<void> => {
    const { reason: _, ...rest } = record;
    await writeRunRecord(store, {
      ...rest,
      phase,
      ...(reason ? { reason } : {}),
      updatedAt: now().toISOString(),
    });
  };
}

function standingApprovals(
  store: StoreLayout,
  record: RunRecord,
  known: readonly { tool: string; path: string }[],
): StandingApprovals {
  const approvals = [...known];
  return {
    has: (tool, path) => approvals.some((approval) => approval.tool === tool && approval.path === path),
    async add(tool, path) {
      approvals.push({ tool, path });
      await addStandingApproval(store, record.projectId, { tool, path });
    },
  };
}
