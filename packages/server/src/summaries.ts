/**
 * Runs and conversations as lists show them, from their records.
 */
import { basename } from 'node:path';
import type { ConversationSummary } from '@crewagent/protocol/api/conversation-messages';
import type { RunSummary } from '@crewagent/protocol/api/run-messages';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunModel } from '@crewagent/protocol/model';
import type { PhaseReason, RunPhase, RunRecord } from '@crewagent/protocol/run';

/** Where something is: as its record says, or as its log does, which is written a moment before. */
export interface Phased {
  readonly phase: RunPhase;
  readonly reason?: PhaseReason | undefined;
}

export function toRunSummary(record: RunRecord, { phase, reason }: Phased = record): RunSummary {
  const { runId, projectId, parentRunId, conversationId, packageHash, packageName, packageVersion } = record;
  const { workflowRef, workflowTitle, activeAgentId, createdAt, updatedAt } = record;
  return {
    runId,
    projectId,
    ...(parentRunId === undefined ? {} : { parentRunId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    package: { name: packageName, version: packageVersion, hash: packageHash },
    workflow: { ref: workflowRef, title: workflowTitle },
    activeAgentId,
    model: withoutPath(record.model),
    phase,
    ...(reason ? { reason } : {}),
    createdAt,
    updatedAt,
  };
}

/** `active`: the run one is in, if there is one and it can be read. */
export function toConversationSummary(
  record: ConversationRecord,
  active: Phased | undefined,
): ConversationSummary {
  const { conversationId, projectId, title, kind, agent, activeRunId, archivedAt } = record;
  const { phase, reason } = active ?? record;
  return {
    conversationId,
    projectId,
    title,
    kind,
    ...(agent ? { agent } : {}),
    phase,
    ...(reason ? { reason } : {}),
    ...(activeRunId === undefined ? {} : { activeRunId }),
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    ...(archivedAt === undefined ? {} : { archivedAt }),
  };
}

/** Where a recording lies is nobody's business. */
export function withoutPath(model: RunModel): RunModel {
  return model.kind === 'replay' ? { ...model, file: basename(model.file) } : model;
}
