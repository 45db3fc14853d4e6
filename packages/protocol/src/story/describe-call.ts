/**
 * A tool call as a verb: the key of its text and parameters. Its target is shown beside it. Pure. Parameters, arguments and results
 * are untrusted text, valid or not.
 */
import { isObject, parseObject, textOf } from '../json-object.ts';
import { calls } from '../texts/en/calls.ts';
import type { TextParams } from '../texts/render-text.ts';
import { isFileChange, isRead } from '../tool-effects.ts';
import type { ToolItem } from './items.ts';
import type { StoryKey } from './translate.ts';

export interface CallVerb {
  readonly key: StoryKey;
  readonly params?: TextParams;
}

export function describeCall(item: ToolItem): CallVerb {
  const { name, status } = item;
  const block = blockOf(item);
  if (block !== undefined) return { key: `tools.blocked.${block}` };
  if (isAbsent(item)) return { key: 'tools.absent' };
  const verb = verbOf(item);
  if (verb !== undefined) return { key: `tools.verb.${verb}` };
  return describeToolCall(isForState(item) ? 'runtime.update_state' : name, status);
}

/** A call of which only the name of its tool is known. */
export function describeToolCall(name: string, status: ToolItem['status']): CallVerb {
  const key = toToolKey(name);
  const form = status === 'ok' ? 'done' : status === 'failed' || status === 'refused' ? 'failed' : 'doing';
  return key ? { key: `tools.${key}.${form}` } : { key: `tools.other.${form}`, params: { name } };
}

/** Consecutive reads as counts: files, folders, searches. */
export function describeReads(items: readonly ToolItem[]): CallVerb[] {
  return READS.flatMap(([kind, key]) => {
    const count = items.filter(({ effect }) => effect.kind === kind).length;
    return count === 0 ? [] : [{ key, params: { count } }];
  });
}

const READS = [
  ['read', 'reads.files'],
  ['listed', 'reads.folders'],
  ['searched', 'reads.searches'],
] as const;

/** A look at what is not there, which is an answer like others: models often look before they ask or write. */
export function isAbsent({ effect, status, code }: ToolItem): boolean {
  return status === 'failed' && code === 'ENOENT' && isRead(effect);
}

/** A read that worked is shown together with those beside it. */
export function isFoldedRead({ effect, status }: ToolItem): boolean {
  return isRead(effect) && status === 'ok';
}

/** The name of a tool in the texts. */
type ToolKey = Extract<keyof typeof calls.tools, `${string}_${string}`>;

/** Undefined for a tool without texts of its own: it is shown by name. */
function toToolKey(name: string): ToolKey | undefined {
  const key = name.replace('.', '_');
  return key !== name && Object.hasOwn(calls.tools, key) ? (key as ToolKey) : undefined;
}

/** A call on the state document is labelled as a state update, whatever its tool. */
export function isForState({ effect }: ToolItem): boolean {
  return effect.kind === 'state' && effect.path !== undefined;
}

export type ChangeVerb = keyof typeof calls.tools.verb;

/** What a call did to a file; undefined if its log does not contain it. */
export function verbOf({ effect, status }: ToolItem): ChangeVerb | undefined {
  const { isNew, isUnchanged, isReplaced, lines, diff } = effect;
  if (status !== 'ok' || !isFileChange(effect)) return undefined;
  if (isNew) return 'created';
  if (isUnchanged) return 'unchanged';
  if (isReplaced) return 'replaced';
  return lines || diff !== undefined ? 'changed' : undefined;
}

type BlockReason = keyof typeof calls.tools.blocked;

/** Why the sandbox rejected a call. */
export function blockOf({ code, answer = '' }: ToolItem): BlockReason | undefined {
  if (code !== 'E_SANDBOX_VIOLATION') return undefined;
  const reason = textOf(failureDetails(answer).reason) ?? '';
  return Object.hasOwn(calls.tools.blocked, reason) ? (reason as BlockReason) : undefined;
}

const MAX_CHARS = 8_000_000;

/** Details of a failed call, from its result. */
export function failureDetails(answer: string): Record<string, unknown> {
  const error = answer.length > MAX_CHARS ? undefined : parseObject(answer)?.error;
  return isObject(error) && isObject(error.details) ? error.details : {};
}
