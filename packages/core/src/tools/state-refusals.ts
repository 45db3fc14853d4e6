/**
 * Why the state document is not changed, in words: to the model, which can try another way, or to the person. Pure.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import { CrewError } from '../base/crew-error.ts';
import { allowedNext } from '../workflow/transition.ts';
import type { WorkflowState } from '../workflow/workflow-state.ts';

export function toMissingNote(nodeId: string, path: string): string {
  return `"${nodeId}" was left without its declared output ${path}.`;
}

export function toMissingError(
  nodeId: string,
  outputsMissing: readonly string[],
  isStrict: boolean,
): ToolError {
  const wayOut = isStrict
    ? 'Write what is missing, then move on.'
    : 'Write what is missing, then move on. If it is truly not needed, make the same move again: the person will see that it is missing.';
  return {
    code: 'E_OUTPUTS_MISSING',
    message: `"${nodeId}" declares outputs that do not exist: ${outputsMissing.join(', ')}. ${wayOut}`,
    details: { outputsMissing },
  };
}

export function toMovedError(nodeId: string, state: WorkflowState, graph: WorkflowGraph): ToolError {
  return {
    code: 'E_NODE_CHANGED',
    message: `The run is at "${nodeId}" now, and this change was decided before that; it was not made. The step of "${nodeId}" comes to you with the next message: do what it says, then change the state.`,
    details: { currentNodeId: nodeId, allowedNext: allowedNext(state, graph) },
  };
}

export function needsConsent(): ToolError {
  return {
    code: 'STATE_CHANGE_REQUIRES_CONFIRMATION',
    message:
      'The workflow is complete; its state can be changed only after the person confirmed it with the button or command for that. Ask them, do not try again.',
  };
}

export function notRewindable(): ToolError {
  return {
    code: 'E_INVALID_FRONTMATTER',
    message:
      'The frontmatter is written in a way that cannot be kept up to date; write it as plain keys and lists.',
  };
}

/** A model cannot mend this: it did not ask for the entry. */
export function fullState(): CrewError {
  return new CrewError(
    'STATE_FULL',
    'The state document has no room for another artifact. Open it, shorten its variables or its text, then resume; what was written last was put back and will be written again.',
  );
}
