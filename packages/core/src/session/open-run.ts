/**
 * Opens a run for this process: takes its lock, assembles its engine, and releases both when closed.
 */

import type { RunEvent } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import type { RunPhase, RunRecord, RunUpgrade } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { CrewError } from '../base/crew-error.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import type { WorkflowPackage } from '../bmad/check/workflow-package.ts';
import type { CallLink } from '../engine/calls/called-run.ts';
import { requireFolder } from '../store/project-store.ts';
import type { Store } from '../store/store.ts';
import { type RunAddress, toAddress } from '../store/work-address.ts';
import { withPhase } from '../store/work-records.ts';
import { type AssembledEngine, type AssemblyOptions, assembleEngine } from './assemble-engine.ts';
import { undoCalledRun } from './changes/open-changes.ts';
import { loadInstalled, toPlan } from './load-workflow.ts';
import { shareAdapter } from './models/model-adapter.ts';
import { createCallSources } from './open-call.ts';

export interface OpenRun extends AssembledEngine {
  readonly record: RunRecord;
  readonly projectPath: string;
  /** Finds the run itself, or an open called run at any depth. */
  find(runId: string): Omit<AssembledEngine, 'close'> | undefined;
  /** The run itself and its open called runs, innermost first. */
  openRuns(): readonly Omit<AssembledEngine, 'close'>[];
}

export interface OpenOptions extends AssemblyOptions {
  readonly context: ValidationContext;
  /** The run's package, if it is already loaded. */
  readonly loaded?: WorkflowPackage | undefined;
  /** Replaces the model the run was started with. */
  readonly model?: RunModel | undefined;
  /** For a called run: the policy of its caller, which may have changed since the call. */
  readonly tools?: RunRecord['tools'] | undefined;
  /** For a called run: the link to its caller. */
  readonly caller?: CallLink | undefined;
  /** Receives every event, from the first one on. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

export async function openRun(address: RunAddress, options: OpenOptions): Promise<OpenRun> {
  const lease = await options.store.works.lease(address);
  try {
    const { run, close } = await assemble(address, options);
    return {
      ...run,
      async close() {
        try {
          await close();
        } finally {
          await lease.release();
        }
      },
    };
  } catch (error) {
    await lease.release();
    throw error;
  }
}

async function assemble(address: RunAddress, options: OpenOptions) {
  const { store, now } = options;
  const found = await store.works.read(address);
  const { model = found.model, tools = found.tools } = options;
  const record = { ...found, model, tools };
  const project = await store.projects.read(record.projectId);
  await requireFolder(project.path);
  const loaded = options.loaded ?? (await loadPinned(record, options));
  const carryOver = await options.openCarryOver?.(record);
  let called: OpenRun | undefined;
  const { close, ...assembled } = await assembleEngine(
    {
      record: { ...record, runId: record.workId },
      plan: toPlan(loaded, record.workflowRef),
      agents: loaded.agents,
      project,
      packageHash: record.packageHash,
      address,
      carryOver,
      savePhase: createPhaseSaver(record, store, { now, model: options.model }),
      onEvent: options.onEvent,
      undoCalled: (workId) => undoCalledRun({ ...address, workId }, { store, now }),
      calls: (adapter) =>
        createCallSources({
          record,
          loaded,
          store,
          now,
          caller: options.caller,
          calledThen: async () => carryOver?.calledThen(),
          async openRun(child, caller) {
            called = await openRun(child, {
              ...options,
              loaded,
              caller,
              model: record.model,
              tools: record.tools,
              // The calling engine forwards the events of its called run.
              onEvent: undefined,
              createAdapter: () => Promise.resolve(shareAdapter(adapter)),
            });
            return called;
          },
        }),
    },
    options,
  );
  if (record.upgrade)
    await completeUpgrade({ ...record, upgrade: record.upgrade }, loaded, assembled, options);
  const run = { record, projectPath: project.path, ...assembled };
  const find: OpenRun['find'] = (runId) => {
    if (runId === record.workId) return run;
    return assembled.engine.calledId === undefined ? undefined : called?.find(runId);
  };
  const openRuns: OpenRun['openRuns'] = () => [
    ...(assembled.engine.calledId === undefined ? [] : (called?.openRuns() ?? [])),
    run,
  ];
  return { run: { ...run, find, openRuns }, close };
}

/** The run was moved to another version of its package, and nobody has opened it since. */
async function completeUpgrade(
  record: RunRecord & { readonly upgrade: RunUpgrade },
  loaded: WorkflowPackage,
  { engine }: Pick<AssembledEngine, 'engine'>,
  { store }: OpenOptions,
): Promise<void> {
  const { packageName: name, packageVersion: version, packageHash: hash, upgrade } = record;
  const { ref, title, result } = toPlan(loaded, record.workflowRef);
  const workflow = { ref, title, ...(result === undefined ? {} : { result }) };
  await engine.finishUpgrade({ upgrade, workflow, package: { name, version, hash } });
  await store.works.update<RunRecord>(toAddress(record), ({ upgrade: _, ...latest }) => latest);
}

/** Marks a run as failed if its package is missing or invalid; it can be resumed when the package is back. */
async function loadPinned(record: RunRecord, { store, context, now }: OpenOptions) {
  try {
    return await loadInstalled(record.packageHash, store, context);
  } catch (error) {
    if (!(error instanceof CrewError) || !['PACKAGE_NOT_FOUND', 'PACKAGE_INVALID'].includes(error.code))
      throw error;
    // A complete run stays complete.
    const { isCompleted, isFailed } = toStatus(record);
    if (isCompleted) throw error;
    const reason = { code: error.code, message: error.message };
    const log = await store.works.openLog(toAddress(record), { now });
    try {
      if (!isFailed) log.append({ type: 'phase.changed', phase: 'Failed', reason });
    } finally {
      await log.close();
    }
    await createPhaseSaver(record, store, { now })('Failed', reason);
    throw new CrewError(error.code, error.message, {
      details: { ...error.details, phase: 'Failed' },
      cause: error,
    });
  }
}

function createPhaseSaver(
  record: RunRecord,
  store: Store,
  { now, model }: Pick<OpenOptions, 'now' | 'model'>,
) {
  return async (phase: RunPhase, reason: RunRecord['reason']): Promise<void> => {
    await store.works.update<RunRecord>(toAddress(record), (latest) => ({
      ...withPhase(latest, phase, reason),
      ...(model ? { model } : {}),
      updatedAt: now().toISOString(),
    }));
  };
}
