/**
 * Errors of changes of the state, for the model; of a full state document for the user.
 */
import type { CheckResult } from '@crewagent/protocol/proof';
import type { ToolError } from '@crewagent/protocol/tools';
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import { CrewError } from '../../base/crew-error.ts';
import { allowedNext } from '../../workflow/transition.ts';
import type { WorkflowState } from '../../workflow/workflow-state.ts';

/** Lists everything that is missing, once. */
export function toUnprovedError(nodeId: string, checks: readonly CheckResult[]): ToolError {
  const isWait = checks.some(({ kind }) => kind === 'wait');
  const isUnchanged = checks.some(({ kind }) => kind === 'change');
  return {
    code: isWait ? 'E_PERSON_NOT_HEARD' : 'E_OUTPUT_INCOMPLETE',
    message: `"${nodeId}" is not done. ${checks.map(({ message }) => message).join(' ')}${isUnchanged ? ' Write the file in this step, even if an earlier reply wrote it.' : ''}`,
    details: { missing: checks.map(({ id, kind, path, message }) => ({ id, kind, path, message })) },
  };
}

export function toDeniedError(nodeId: string, denial: string, notes: readonly string[]): ToolError {
  return {
    code: 'E_HOOK_DENIED',
    ...(notes.length > 0 && { details: { notes } }),
    message: `"${nodeId}" has not been left. ${denial} Do what it asks for, then try again; if you cannot, tell the user.`,
  };
}

export function toMovedError(nodeId: string, state: WorkflowState, graph: WorkflowGraph): ToolError {
  return {
    code: 'E_NODE_CHANGED',
    message: `The change was not made: it was decided in an earlier node, and the run is at "${nodeId}" now. The next message contains the step of "${nodeId}"; follow it, then change the state.`,
    details: { currentNodeId: nodeId, allowedNext: allowedNext(state, graph) },
  };
}

export function consentRequiredError(): ToolError {
  return {
    code: 'STATE_CHANGE_REQUIRES_CONFIRMATION',
    message:
      'The workflow is complete; its state can be changed only after the user confirms it with the button or command for that. Ask the user and do not retry.',
  };
}

export function notRewindableError(): ToolError {
  return {
    code: 'E_INVALID_FRONTMATTER',
    message:
      'The frontmatter uses YAML features that cannot be updated in place; write it as plain keys and lists.',
  };
}

/** For the user: the model did not request the entry and cannot fix this. */
export function stateFullError(): CrewError {
  return new CrewError(
    'STATE_FULL',
    'The state document has no room for another artifact. Open it, shorten its variables or its text, then resume; the last write was undone and will be repeated.',
  );
}
