/**
 * Thrown for an access that is not allowed. The message completes "The path … " and contains no real path.
 */
export type ViolationReason = 'path' | 'link' | 'special' | 'read-only' | 'secret' | 'private';

export class SandboxViolation extends Error {
  readonly reason: ViolationReason;

  constructor(reason: ViolationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
