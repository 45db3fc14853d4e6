/**
 * Thrown for an access that is not allowed. The message completes "The path … " and contains no real path.
 */
import { errnoOf } from '../base/errno.ts';

export type ViolationReason = 'path' | 'link' | 'special' | 'read-only' | 'secret' | 'private';

export class SandboxViolation extends Error {
  readonly reason: ViolationReason;

  constructor(reason: ViolationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Errors of the system and of the mounts are about a file; any other error is a bug. */
export function isFileError(error: unknown): boolean {
  return error instanceof SandboxViolation || errnoOf(error) !== undefined;
}
