/**
 * A run as it is recorded in `run.json`: which project and package it is pinned to, and its phase.
 */
import * as z from 'zod';

export const runPhaseSchema = z.enum(['Running', 'WaitingUser', 'Completed', 'Failed']);
export type RunPhase = z.infer<typeof runPhaseSchema>;

/** Only what tells whether a run still needs its package; the rest of the record is kept as it is. */
export const runRecordSchema = z.looseObject({
  runId: z.string(),
  packageHash: z.string(),
  phase: runPhaseSchema,
});
