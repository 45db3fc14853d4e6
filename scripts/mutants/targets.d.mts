export interface MutationTarget {
  /** Paths from the root; one that ends with a slash is a folder. */
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  readonly skip?: RegExp;
  readonly leaveOut?: RegExp;
}

export const TARGETS: readonly MutationTarget[];
