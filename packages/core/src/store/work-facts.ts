/** Facts about records that every adapter needs: noun, schema, errors, phase change. Pure. */
import { conversationRecordSchema } from '@crewagent/protocol/conversation';
import { type PhaseReason, type RunPhase, runRecordSchema } from '@crewagent/protocol/run';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';
import type * as z from '@crewagent/protocol/zod';
import { CrewError } from '../base/crew-error.ts';
import type { WorkAddress } from './work-address.ts';

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
  return schemaOf({ isRun: isRun(record) }).parse(record) as Entry;
}

export function schemaOf(address: Pick<WorkAddress, 'isRun'>): z.ZodMiniType<WorkRecord> {
  return address.isRun ? runRecordSchema : conversationRecordSchema;
}
