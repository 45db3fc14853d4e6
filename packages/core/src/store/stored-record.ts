/**
 * Records of runs and conversations with the field names of their files, which scripts and exports also read. Pure.
 */
import { isRun, type WorkRecord } from '@crewagent/protocol/work';
import type { WorkAddress } from './work-address.ts';

export function toStored(record: WorkRecord): object {
  if (!isRun(record)) {
    const { schemaVersion, workId, ...rest } = record;
    return { schemaVersion, conversationId: workId, ...rest };
  }
  const { schemaVersion, workId, projectId, parentId, kind: _, ...rest } = record;
  // A called run has a run as its parent.
  const parent = parentId === undefined ? {} : { [rest.call ? 'parentRunId' : 'conversationId']: parentId };
  return { schemaVersion, runId: workId, projectId, ...parent, ...rest };
}

export function fromStored(value: unknown, address: Pick<WorkAddress, 'isRun'>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!address.isRun) {
    const { conversationId: workId, ...rest } = value as Readonly<Record<string, unknown>>;
    return { workId, ...rest };
  }
  const { runId: workId, conversationId, parentRunId, ...rest } = value as Readonly<Record<string, unknown>>;
  const parentId = parentRunId ?? conversationId;
  return { workId, parentId, kind: 'workflow', ...rest };
}
