/**
 * Every reason a phase can have, as a closed union for writers. Only `toStatus` compares reasons.
 */
import type { ErrorCode } from './errors.ts';

/** Reasons for being idle without a problem. */
export const IDLE_REASONS = ['reply', 'question', 'approval', 'stopped', 'interrupted', 'rewound'] as const;
export type IdleReason = (typeof IDLE_REASONS)[number];

export type ReasonCode = IdleReason | ErrorCode;
