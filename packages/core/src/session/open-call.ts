/**
 * The run of a sub-workflow: made where the calling run needs it, opened beside it, driven by nobody else. It uses the
 * model, the limits and the policy of the run that called it.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunRecord } from '@crewagent/protocol/run';
import { CrewError } from '../base/crew-error.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import type { WorkflowPackage } from '../bmad/workflow-package.ts';
import type { CallLink, CallRequest, CallSources } from '../engine/called-run.ts';
import type { Store } from '../store/store.ts';
import type { RunAddress } from '../store/work-address.ts';
import { withPhase } from '../store/work-facts.ts';
import type { AssembledEngine } from './assemble-engine.ts';
import { resolveWorkflow } from './load-workflow.ts';
import { createWorkflowRun } from './start-run.ts';

export interface CallingRun {
  readonly record: RunRecord;
  readonly loaded: WorkflowPackage;
  readonly store: Store;
  readonly now: () => Date;
  readonly caller: CallLink | undefined;
  /** Opens the run of a call with the parts that its caller has. */
  openRun(
    address: RunAddress,
    caller: CallLink,
  ): Promise<Pick<AssembledEngine, 'engine' | 'close'> & { readonly record: RunRecord }>;
}

export function createCallSources(calling: CallingRun): CallSources {
  const { record, store, now, caller } = calling;
  const addressOf = (workId: string): RunAddress => ({ projectId: record.projectId, workId, isRun: true });
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
      const address = addressOf(call.childId);
      const isNew = !(await has(call.childId));
      if (isNew) await createCalledRun(calling, call, link);
      const firstEvents: RunEvent[] = [];
      if (isNew) await works.readLog(address, (event) => firstEvents.push(event));
      const { engine, record: opened, close } = await calling.openRun(address, link);
      // The log is written before the record; a complete run is not driven again, so nothing else would tell the record.
      if (engine.memory.phase === 'Completed' && opened.phase !== 'Completed')
        await works.update<RunRecord>(address, (latest) => withPhase(latest, 'Completed', undefined));
      const workflow = { ref: opened.workflowRef, title: opened.workflowTitle };
      return { childId: call.childId, workflow, engine, firstEvents, close };
    },
  };
}

async function createCalledRun(
  { record, loaded, store, now }: CallingRun,
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
      inputs: [],
      ...context,
    },
    { store, now, newId: () => childId },
  );
}
