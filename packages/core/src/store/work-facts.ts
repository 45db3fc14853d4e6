/** What every adapter of the store needs to know of a record: its noun, its schema, its errors, another phase. Pure. */
import { conversationRecordSchema } from '@crewagent/protocol/conversation';
import { type PhaseReason, type RunPhase, runRecordSchema } from '@crewagent/protocol/run';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';
import type * as z from '@crewagent/protocol/zod';
import { CrewError } from '../base/crew-error.ts';
import type { WorkAddress } from './work-address.ts';

/** The word that people read. */
export function nounOf({ isRun }: Pick<WorkAddress, 'isRun'>): 'run' | 'conversation' {
  return isRun ? 'run' : 'conversation';
}

export function workNotFound(address: Pick<WorkAddress, 'isRun'>, cause?: unknown): CrewError {
  const code = address.isRun ? 'RUN_NOT_FOUND' : 'CONVERSATION_NOT_FOUND';
  return new CrewError(code, `The ${nounOf(address)} no longer exists.`, { cause });
}

/** The record in another phase, with its reason or none. */
export function withPhase<Entry extends WorkRecord>(
  { reason: _, ...record }: Entry,
  phase: RunPhase,
  reason: PhaseReason | undefined,
): Entry {
  // Nothing but phase and reason is different.
  return { ...record, phase, ...(reason ? { reason } : {}) } as unknown as Entry;
}

/** Throws where the record is not one: that is a bug of ours. */
export function checkWork<Entry extends WorkRecord>(record: Entry): Entry {
  return schemaOf({ isRun: isRun(record) }).parse(record) as Entry;
}

export function schemaOf(address: Pick<WorkAddress, 'isRun'>): z.ZodType<WorkRecord> {
  return address.isRun ? runRecordSchema : conversationRecordSchema;
}
