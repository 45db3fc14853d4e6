/**
 * An access that leads where it must not. The words follow "The path … ": they name no real path.
 */
export type ViolationReason = 'path' | 'link' | 'special' | 'read-only' | 'secret' | 'private';

export class SandboxViolation extends Error {
  readonly reason: ViolationReason;

  constructor(reason: ViolationReason, words: string) {
    super(words);
    this.reason = reason;
  }
}
