/**
 * Summaries of conversations and runs for lists, from their records.
 */
import { basename } from 'node:path';
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { toShownTitle } from '@crewagent/protocol/conversation-title';
import type { RunModel } from '@crewagent/protocol/model';
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';

/** A phase: from a record, or from the log, which is written a moment earlier. */
export interface PhaseInfo {
  readonly phase: RunPhase;
  readonly reason?: PhaseReason | undefined;
}

/** `active`: the phase of the conversation's active run, if known. */
export function toSummary(record: WorkRecord, active: PhaseInfo = record): WorkSummary {
  const { workId, projectId, parentId, kind, agent, activeRunId, createdAt, updatedAt, archivedAt } = record;
  const { phase, reason } = active;
  return {
    workId,
    projectId,
    parentId,
    kind,
    title: toShownTitle(record),
    agent,
    run: toRun(record),
    activeRunId,
    phase,
    reason,
    createdAt,
    updatedAt,
    archivedAt,
    forkedFrom: record.forkedFrom,
    approval: record.tools.approval,
  };
}

/** Undefined for a conversation. */
function toRun(record: WorkRecord): WorkSummary['run'] {
  if (record.workflowRef === undefined) return undefined;
  const { packageHash, packageName, packageVersion, workflowRef, workflowTitle, activeAgentId } = record;
  return {
    package: { name: packageName, version: packageVersion, hash: packageHash },
    workflow: { ref: workflowRef, title: workflowTitle },
    activeAgentId,
    model: withoutPath(record.model),
  };
}

/** Hides the folder of a recording. */
export function withoutPath(model: RunModel): RunModel {
  return model.kind === 'replay' ? { ...model, file: basename(model.file) } : model;
}
