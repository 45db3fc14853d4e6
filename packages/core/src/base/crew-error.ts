/**
 * An error the user can fix: a code from `ErrorCode` and a message that is shown unchanged. Caught only at the
 * boundaries (command line, HTTP, run loop). Any other thrown error is a bug.
 */
import type { ErrorCode } from '@crewagent/protocol/errors';

export class CrewError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CrewError';
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** Undefined if the work ends with an error that the user can fix. Others are thrown: they are bugs. */
export async function ifPossible<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}
