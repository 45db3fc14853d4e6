/** Addresses of Works. Ids are unique and never reused. Pure. */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunRecord } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';

export interface WorkAddress {
  readonly projectId: string;
  readonly workId: string;
  /** For the store, which keeps runs and conversations apart. Ask the record for the workflow of a Work. */
  readonly isRun: boolean;
}

export interface RunAddress extends WorkAddress {
  readonly isRun: true;
}

export interface ConversationAddress extends WorkAddress {
  readonly isRun: false;
}

export function toAddress(record: RunRecord): RunAddress;
export function toAddress(record: ConversationRecord): ConversationAddress;
export function toAddress(record: WorkRecord): WorkAddress;
export function toAddress({ projectId, workId, workflowRef }: WorkRecord): WorkAddress {
  return { projectId, workId, isRun: workflowRef !== undefined };
}

type InProject = Pick<WorkAddress, 'projectId'>;

/** The address of a run of the same project. */
export function runBeside({ projectId }: InProject, workId: string): RunAddress {
  return { projectId, workId, isRun: true };
}

/** The address of a conversation of the same project. */
export function conversationBeside({ projectId }: InProject, workId: string): ConversationAddress {
  return { projectId, workId, isRun: false };
}
