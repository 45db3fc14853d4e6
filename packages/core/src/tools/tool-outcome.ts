/**
 * The outcome of a tool call, with its result as the model gets it, bounded in size, and the audit record of the call.
 */
import type { RunFact } from '@crewagent/protocol/events';
import type { DescribedAction, Question, RunsLater, ToolResult } from '@crewagent/protocol/tools';
import type { EffectFacts } from './tool-source.ts';

export type ToolOutcome =
  | DoneCall
  | ApprovalRequest
  | { readonly kind: 'question'; readonly name: string; readonly questions: readonly Question[] };

/** The action needs the user's consent: execute the call again with `approval`. */
export interface ApprovalRequest {
  readonly kind: 'approval';
  readonly name: string;
  readonly action: DescribedAction;
  readonly runsLater?: RunsLater;
  /** The call has run: the request is about what it changed. */
  readonly isHeld?: true;
}

export interface DoneCall {
  readonly kind: 'done';
  readonly name: string;
  readonly result: ToolResult;
  readonly content: string;
  readonly effect: EffectFacts;
}

/** Audit record of every answered call, including rejected calls. */
export type CallFact = Extract<RunFact, { type: 'tool.ended' }>;

const MAX_CONTENT_CHARS = 131_072;

export function done(name: string, result: ToolResult, effect: EffectFacts = {}): DoneCall {
  const content = JSON.stringify(result);
  if (content.length <= MAX_CONTENT_CHARS) return { kind: 'done', name, result, content, effect };
  const bounded: ToolResult = {
    ok: true,
    truncated: true,
    preview: content.slice(0, MAX_CONTENT_CHARS / 4),
    hint: `The result had ${content.length} characters; request less at once.`,
  };
  return { kind: 'done', name, result: bounded, content: JSON.stringify(bounded), effect };
}

/** Codes of calls that were not allowed, as opposed to those that failed. */
const REFUSALS: ReadonlySet<string> = new Set(
  `TOOL_NOT_AVAILABLE TOOL_REFUSED E_SANDBOX_VIOLATION E_INVALID_TRANSITION E_NODE_CHANGED E_STEP_NOT_ACTIVE
  E_OUTPUTS_MISSING E_INPUT_UNREAD E_HOOK_DENIED`.split(/\s+/),
);

export function summaryOf(result: ToolResult): Pick<CallFact, 'outcome' | 'code' | 'message'> {
  if (result.ok) return { outcome: 'ok' };
  const { code, message } = result.error;
  return { outcome: REFUSALS.has(code) ? 'refused' : 'failed', code, message };
}
