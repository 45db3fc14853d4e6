/**
 * Compares two versions of a state document item by item. Pure.
 */
import { isSameValue } from './same-value.ts';
import type { WorkflowState } from './workflow-state.ts';

/** Everything in `after` that is not in `before`. */
export function stateChanges(before: WorkflowState, after: WorkflowState) {
  const set = Object.entries(after.variables).filter(
    ([key, value]) => !Object.hasOwn(before.variables, key) || !isSameValue(before.variables[key], value),
  );
  return {
    variables: Object.fromEntries(set),
    unset: Object.keys(before.variables).filter((key) => !Object.hasOwn(after.variables, key)),
    stepsAdded: addedTo(before.stepsCompleted, after.stepsCompleted),
    decisionsAdded: after.decisionLog.slice(before.decisionLog.length),
    artifactsAdded: addedTo(before.artifacts, after.artifacts),
  };
}

function addedTo(before: readonly string[], after: readonly string[]): string[] {
  const known = new Set(before);
  return after.filter((item) => !known.has(item));
}
