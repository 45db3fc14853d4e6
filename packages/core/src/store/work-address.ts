/** Addresses of Works. Ids are unique and never reused. Pure. */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunRecord } from '@crewagent/protocol/run';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';

export interface WorkAddress {
  readonly projectId: string;
  readonly workId: string;
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
export function toAddress(record: WorkRecord): WorkAddress {
  const { projectId, workId } = record;
  return { projectId, workId, isRun: isRun(record) };
}
