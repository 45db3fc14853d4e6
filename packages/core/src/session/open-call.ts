/**
 * Creates and opens the run of a sub-workflow for its caller, which is the only one to drive it. The called run uses
 * the model, limits and policy of its caller.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunRecord } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { CrewError } from '../base/crew-error.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import type { WorkflowPackage } from '../bmad/check/workflow-package.ts';
import type { CallLink, CallRequest, CallSources } from '../engine/calls/called-run.ts';
import type { Store } from '../store/store.ts';
import { type RunAddress, runBeside } from '../store/work-address.ts';
import { withPhase } from '../store/work-records.ts';
import type { AssembledEngine } from './assemble-engine.ts';
import { resolveWorkflow } from './load-workflow.ts';
import { createWorkflowRun } from './start-run.ts';

export interface CallingRun {
  readonly record: RunRecord;
  readonly loaded: WorkflowPackage;
  readonly store: Store;
  readonly now: () => Date;
  readonly caller: CallLink | undefined;
  /** In a rerun: the run that was called here then. */
  calledThen(): Promise<string | undefined>;
  /** Opens a called run with the options of its caller. */
  openRun(
    address: RunAddress,
    caller: CallLink,
  ): Promise<Pick<AssembledEngine, 'engine' | 'close'> & { readonly record: RunRecord }>;
}

export function createCallSources(calling: CallingRun): CallSources {
  const { record, store, now, caller } = calling;
  const { works } = store;
  const has = async (childId: string): Promise<boolean> => {
    try {
      return (await works.find(childId)).isRun;
    } catch (error) {
      if (error instanceof CrewError && error.code === 'WORK_NOT_FOUND') return false;
      throw error;
    }
  };
  return {
    caller,
    newId: createUuidV7(now),
    has,
    async open(call, link) {
      const address = runBeside(record, call.childId);
      const isNew = !(await has(call.childId));
      if (isNew) await createCalledRun(calling, call, link);
      const firstEvents: RunEvent[] = [];
      if (isNew) await works.readLog(address, (event) => firstEvents.push(event));
      const { engine, record: opened, close } = await calling.openRun(address, link);
      // The log is written before the record. A complete run is not driven again, so its record is corrected here.
      if (toStatus(engine.memory).isCompleted && !toStatus(opened).isCompleted)
        await works.update<RunRecord>(address, (latest) => withPhase(latest, 'Completed', undefined));
      const workflow = { ref: opened.workflowRef, title: opened.workflowTitle };
      return { childId: call.childId, workflow, engine, firstEvents, close };
    },
  };
}

async function createCalledRun(
  { record, loaded, store, now, calledThen }: CallingRun,
  { childId, nodeId, workflow, agentId, context }: CallRequest,
  { rootId, depth }: CallLink,
): Promise<void> {
  const { projectId, packageHash, model, tools, limits } = record;
  await createWorkflowRun(
    {
      workflow: resolveWorkflow(loaded, workflow),
      loaded,
      projectId,
      packageHash,
      activeAgentId: agentId,
      model,
      tools,
      context: record.context,
      limits,
      parentId: record.workId,
      call: { rootId, nodeId, depth },
      rerunOf: await calledThen(),
      inputs: [],
      ...context,
    },
    { store, now, newId: () => childId },
  );
}
