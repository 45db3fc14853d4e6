/**
 * Records of Works, for every adapter: made from drafts, checked, and with the field names of their files, which scripts and
 * exports also read.
 */
import { conversationRecordSchema } from '@crewagent/protocol/conversation';
import type { RunFact } from '@crewagent/protocol/events';
import { type PhaseReason, type RunPhase, runRecordSchema } from '@crewagent/protocol/run';
import type { WorkRecord } from '@crewagent/protocol/work';
import type * as z from '@crewagent/protocol/zod';
import { CrewError } from '../base/crew-error.ts';
import { createUuidV7 } from '../base/uuid-v7.ts';
import { createInitialState } from '../workflow/initial-state.ts';
import { toAddress, type WorkAddress } from './work-address.ts';
import type { ConversationDraft, RunDraft, WorkDraft, WorkMaker } from './work-store.ts';

export interface NewWork {
  readonly record: WorkRecord;
  readonly firstFacts: readonly RunFact[];
  /** Text of the state document of a run. */
  readonly state?: string;
}

/** The phase is WaitingUser: with a free lease, a Running Work would look interrupted. */
export async function toNewWork(
  draft: WorkDraft,
  { now, newId = createUuidV7(now) }: WorkMaker,
): Promise<NewWork> {
  const at = now().toISOString();
  const stamp = {
    schemaVersion: 1,
    workId: newId(),
    phase: 'WaitingUser',
    createdAt: at,
    updatedAt: at,
  } as const;
  return 'stateTemplate' in draft ? toNewRun(draft, stamp) : toNewConversation(draft, stamp);
}

type Stamp = Pick<WorkRecord, 'schemaVersion' | 'workId' | 'phase' | 'createdAt' | 'updatedAt'>;

async function toNewRun(draft: RunDraft, stamp: Stamp): Promise<NewWork> {
  const { stateTemplate, entryNodeId, inputDocuments, blanks, firstFacts = [], ...rest } = draft;
  const { variables, artifacts, ...pinned } = rest;
  const record = checkWork({
    ...stamp,
    kind: 'workflow',
    ...pinned,
    reason: { code: 'interrupted', message: 'The run was created and has not been started.' },
  });
  const state = await createInitialState(stateTemplate, {
    runId: record.workId,
    activeAgentId: draft.activeAgentId,
    workflowRef: draft.workflowRef,
    currentNodeId: entryNodeId,
    updatedAt: record.updatedAt,
    inputDocuments,
    blanks,
    variables,
    artifacts,
  });
  if (state.ok) return { record, firstFacts, state: state.text };
  throw new CrewError('PACKAGE_INVALID', `The workflow cannot be started: ${state.error.message}`, {
    details: state.error.details ?? {},
  });
}

function toNewConversation({ firstFacts, title = '', ...pinned }: ConversationDraft, stamp: Stamp): NewWork {
  return { record: checkWork({ ...stamp, title, ...pinned }), firstFacts };
}

/** The noun used in messages. */
export function nounOf({ isRun }: Pick<WorkAddress, 'isRun'>): 'run' | 'conversation' {
  return isRun ? 'run' : 'conversation';
}

export function workNotFound(address: Pick<WorkAddress, 'isRun'>, cause?: unknown): CrewError {
  const code = address.isRun ? 'RUN_NOT_FOUND' : 'CONVERSATION_NOT_FOUND';
  return new CrewError(code, `The ${nounOf(address)} no longer exists.`, { cause });
}

/** A copy of the record with another phase; without a reason, the old one is removed. */
export function withPhase<Entry extends WorkRecord>(
  { reason: _, ...record }: Entry,
  phase: RunPhase,
  reason: PhaseReason | undefined,
): Entry {
  // The type is the same: only phase and reason differ.
  return { ...record, phase, ...(reason ? { reason } : {}) } as unknown as Entry;
}

/** Throws for an invalid record, which is a bug. */
export function checkWork<Entry extends WorkRecord>(record: Entry): Entry {
  return schemaOf(toAddress(record)).parse(record) as Entry;
}

/** `checkWork` for a record that was made from one that is valid: fields that are the same are not validated again. */
export function checkChange<Entry extends WorkRecord>(before: Entry, after: Entry): Entry {
  const { shape } = toAddress(after).isRun ? runRecordSchema : conversationRecordSchema;
  const schemas: Readonly<Record<string, z.ZodMiniType>> = shape;
  const checked: Entry = { ...after };
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const key = name as keyof Entry;
    if (before[key] === after[key]) continue;
    const parsed = schemas[name]?.safeParse(after[key]);
    // Reports what is wrong with which field.
    if (!parsed?.success) return checkWork(after);
    if (key in after) checked[key] = parsed.data as Entry[keyof Entry];
  }
  return checked;
}

export function schemaOf(address: Pick<WorkAddress, 'isRun'>): z.ZodMiniType<WorkRecord> {
  return address.isRun ? runRecordSchema : conversationRecordSchema;
}

export function toStored(record: WorkRecord): object {
  const { schemaVersion, workId, ...rest } = record;
  if (rest.workflowRef === undefined) return { schemaVersion, conversationId: workId, ...rest };
  const { projectId, parentId, kind: _, ...run } = rest;
  // A called run has a run as its parent.
  const parent = parentId === undefined ? {} : { [run.call ? 'parentRunId' : 'conversationId']: parentId };
  return { schemaVersion, runId: workId, projectId, ...parent, ...run };
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
