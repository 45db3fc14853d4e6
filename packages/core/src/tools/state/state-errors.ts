/**
 * Errors for rejected changes of the state document, for the model or the user. Pure.
 */
import type { CheckResult } from '@crewagent/protocol/proof';
import type { ToolError } from '@crewagent/protocol/tools';
import type { WorkflowGraph } from '@crewagent/protocol/workflow';
import { CrewError } from '../../base/crew-error.ts';
import { allowedNext } from '../../workflow/transition.ts';
import type { WorkflowState } from '../../workflow/workflow-state.ts';
import type { ResultIssues } from './node-outputs.ts';

export function toMissingNote(nodeId: string, path: string): string {
  return `"${nodeId}" was left without its declared output ${path}.`;
}

export function toKeptNote(nodeId: string, path: string): string {
  return `"${nodeId}" was left with ${path} as it was before this run.`;
}

export function toEarlyNote(nodeId: string, path: string): string {
  return `"${nodeId}" was left with ${path} as it was written before this step was seen.`;
}

export function toUnsetNote(nodeId: string, name: string): string {
  return `"${nodeId}" was left without setting the variable ${name}.`;
}

export function toMissingError(
  nodeId: string,
  { missing, kept, early, unset }: ResultIssues,
  isStrict: boolean,
): ToolError {
  const listed = (paths: readonly string[]): string => paths.join(', ');
  const message = [
    missing.length > 0 ? `"${nodeId}" declares outputs that do not exist: ${listed(missing)}.` : '',
    missing.length > 0 ? 'Write the missing outputs, then move on.' : '',
    kept.length > 0
      ? `This run has not written ${listed(kept)}, which ${kept.length === 1 ? 'is' : 'are'} from before it. Write ${kept.length === 1 ? 'it' : 'them'}, or name ${kept.length === 1 ? 'it' : 'them'} in \`artifacts\` if the content is still right.`
      : '',
    early.length > 0
      ? `${listed(early)} was written before this step was seen, so it does not count. Write it as this step says.`
      : '',
    unset.length > 0
      ? `"${nodeId}" declares variables that are not set: ${listed(unset)}. Set them in \`variables\`.`
      : '',
    isStrict
      ? ''
      : 'If something of this is not needed, make the same move again: the user will see that it is missing.',
  ];
  return {
    code: 'E_OUTPUTS_MISSING',
    message: message.filter(Boolean).join(' '),
    details: {
      outputsMissing: missing,
      ...(kept.length > 0 ? { outputsKept: kept } : {}),
      ...(early.length > 0 ? { outputsEarly: early } : {}),
      ...(unset.length > 0 ? { variablesUnset: unset } : {}),
    },
  };
}

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
