/**
 * Every reason that a phase may have: a closed union for all that write one. `toStatus` alone compares them.
 */
import type { ErrorCode } from './errors.ts';

/** Why something is idle, where nothing went wrong. */
export const IDLE_REASONS = ['reply', 'question', 'approval', 'stopped', 'interrupted', 'rewound'] as const;
export type IdleReason = (typeof IDLE_REASONS)[number];

export type ReasonCode = IdleReason | ErrorCode;
