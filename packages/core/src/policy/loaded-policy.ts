/** A policy that is valid and signed as it must be. Types only. */
import type { Policy } from '@crewagent/protocol/policy';

export interface LoadedPolicy {
  readonly policy: Policy;
  /** Path of its file. */
  readonly place: string;
  /** Fingerprint of the key that signed it. */
  readonly signedBy?: string | undefined;
}

/** All of them hold. */
export type Policies = readonly LoadedPolicy[];
