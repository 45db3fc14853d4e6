import type { Database } from '../database/database.ts';
export interface AttemptLimits {
  readonly windowSeconds: number;
  /** For one account from one address. */
  readonly perPair: number;
  /** For one account, from anywhere. Reached, it locks its owner out of passwords, so it is higher. */
  readonly perAccount: number;
  /** From one address, behind which an office may be. */
  readonly perAddress: number;
}
export declare function createAttempts(
  database: Database,
  limits?: AttemptLimits,
): {
  /**
   * Counts an attempt; throws if there were too many. Without an account it counts for the address only. Call `succeeded` of the result
   * if it was the right password.
   */
  begin(
    account: string | undefined,
    address: string,
  ): Promise<{
    succeeded(): Promise<void>;
  }>;
  /** Removes what no longer counts. */
  sweep(): Promise<void>;
};
