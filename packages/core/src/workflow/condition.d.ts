/**
 * Evaluates an edge's JSONLogic condition over the variables of a run, as advice: true, false, or unknown where a
 * variable is missing or an operation is not one of ours. Pure, bounded, and never calls anything a package names.
 */
export type Verdict = boolean | 'unknown';
export declare function evaluateCondition(
  expression: unknown,
  variables: Readonly<Record<string, unknown>>,
): Verdict;
