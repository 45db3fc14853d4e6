/**
 * Conversations and runs as lists show them, from their records.
 */
import { basename } from 'node:path';
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import type { RunModel } from '@crewagent/protocol/model';
import type { PhaseReason, RunPhase, RunRecord } from '@crewagent/protocol/run';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';

/** Where something is: as its record says, or as its log does, which is written a moment before. */
export interface Phased {
  readonly phase: RunPhase;
  readonly reason?: PhaseReason | undefined;
}

/** `active`: where the run is that a conversation is in, if that is known. */
export function toSummary(record: WorkRecord, active: Phased = record): WorkSummary {
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
  };
}

function toRunPart(record: RunRecord) {
  const { parentId, packageHash, packageName, packageVersion, workflowRef, workflowTitle } = record;
  return {
    ...(parentId === undefined ? {} : { parentId }),
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
    ...(activeRunId === undefined ? {} : { activeRunId }),
    ...(archivedAt === undefined ? {} : { archivedAt }),
  };
}

/** Where a recording lies is nobody's business. */
export function withoutPath(model: RunModel): RunModel {
  return model.kind === 'replay' ? { ...model, file: basename(model.file) } : model;
}
