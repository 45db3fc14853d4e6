/**
 * Claims: which worker advances a tree of Works. Renewed while the worker lives; one that was not renewed in time can be taken by another.
 */
import type { Database } from '../database/database.ts';
export interface Claim {
  readonly rootId: string;
  readonly epoch: string;
}
export interface ClaimTiming {
  readonly claimMs: number;
  readonly renewEveryMs: number;
}
export declare function createClaims(
  database: Database,
  workerId: string,
  timing?: Partial<ClaimTiming>,
): {
  /** Undefined while another worker has it. */
  take(rootId: string): Promise<Claim | undefined>;
  /** False if commands came meanwhile: the claim goes on. */
  end({ rootId, epoch }: Claim): Promise<boolean>;
  /** Gives the claim up, whatever is left to do. */
  drop({ rootId, epoch }: Claim): Promise<void>;
  readonly size: number;
};
export type Claims = ReturnType<typeof createClaims>;
/** Whoever adds a command, and whoever ends a claim, waits for the other. */
export declare function lockRoot({ write }: Pick<Database, 'write'>, rootId: string): Promise<void>;
