/**
 * Summaries of conversations and runs for lists, from their records.
 */
import { basename } from 'node:path';
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import type { RunModel } from '@crewagent/protocol/model';
import type { PhaseReason, RunPhase, RunRecord } from '@crewagent/protocol/run';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';

/** A phase: from a record, or from the log, which is written a moment earlier. */
export interface PhaseInfo {
  readonly phase: RunPhase;
  readonly reason?: PhaseReason | undefined;
}

/** `active`: the phase of the conversation's active run, if known. */
export function toSummary(record: WorkRecord, active: PhaseInfo = record): WorkSummary {
  const { workId, projectId, kind, createdAt, updatedAt } = record;
  const { phase, reason } = active;
  return {
    workId,
    projectId,
    kind,
    ...(isRun(record) ? toRunPart(record) : toConversationPart(record)),
    phase,
    ...(reason ? { reason } : {}),
    createdAt,
    updatedAt,
    approval: record.tools.approval,
  };
}

function toRunPart(record: RunRecord) {
  const { parentId, packageHash, packageName, packageVersion, workflowRef, workflowTitle } = record;
  return {
    parentId,
    title: workflowTitle,
    run: {
      package: { name: packageName, version: packageVersion, hash: packageHash },
      workflow: { ref: workflowRef, title: workflowTitle },
      activeAgentId: record.activeAgentId,
      model: withoutPath(record.model),
    },
  };
}

function toConversationPart({ title, agent, activeRunId, archivedAt }: Exclude<WorkRecord, RunRecord>) {
  return {
    title,
    ...(agent ? { agent } : {}),
    activeRunId,
    archivedAt,
  };
}

/** Hides the folder of a recording. */
export function withoutPath(model: RunModel): RunModel {
  return model.kind === 'replay' ? { ...model, file: basename(model.file) } : model;
}
