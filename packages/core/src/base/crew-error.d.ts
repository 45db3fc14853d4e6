/**
 * The error a person can mend: a code from the one table and a sentence to show as it stands.
 * Caught only at the doors (command line, HTTP, run loop). Anything else thrown is a bug of ours.
 */
import type { ErrorCode } from '@crewagent/protocol/errors';
export declare class CrewError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  constructor(
    code: ErrorCode,
    message: string,
    options?: {
      details?: Record<string, unknown>;
      cause?: unknown;
    },
  );
}
