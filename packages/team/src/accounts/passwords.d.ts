export interface PasswordCost {
  /** In KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
}
export declare function createPasswords(cost?: PasswordCost): {
  /** Throws USAGE for a password that is too easy to guess. */
  hash(password: string, email: string): Promise<string>;
  /** `stored` is undefined if there is no such person, or one without a password. */
  verify(stored: string | undefined, password: string): Promise<boolean>;
};
