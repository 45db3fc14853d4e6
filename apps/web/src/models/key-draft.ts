/** Changes to the API keys of a model, as made in the form. Pure. */
import type { ShownModel } from '@crewagent/protocol/api/settings';
import { DEFAULT_KEY, type Provider } from '@crewagent/protocol/model';
import type { TypedValues } from '../ui/forms/typed-values.ts';
import { presetOf } from './model-presets.ts';

export interface KeyDraft {
  /** Stored keys that stay. */
  readonly names: readonly string[];
  readonly removed: readonly string[];
  readonly used: string;
  readonly useNext: boolean;
  /** A further key is typed. */
  readonly isAdding: boolean;
}

export function toKeyDraft({ keys }: Pick<ShownModel, 'keys'>): KeyDraft {
  const { names = [DEFAULT_KEY], used = DEFAULT_KEY, useNext = false } = keys ?? {};
  return { names, used, useNext, removed: [], isAdding: false };
}

/** If the key that is used is removed, the first of the others is used. */
export function withoutKey(draft: KeyDraft, name: string): KeyDraft {
  const names = draft.names.filter((each) => each !== name);
  const used = draft.used === name ? (names[0] ?? DEFAULT_KEY) : draft.used;
  return { ...draft, names, used, removed: [...draft.removed, name] };
}

/** A stored key is sent to the address it was stored for, and to no other. */
export type KeyOwner = TypedValues;

export function isKeyOf(owner: KeyOwner | undefined, { provider, baseUrl }: KeyOwner): boolean {
  return owner?.provider === provider && toText(owner?.baseUrl) === toText(baseUrl);
}

/** Whether the provider's own address needs a key and there is none; another address may work without. */
export function needsKey(values: TypedValues, keyFor: KeyOwner | undefined, hasVariable: boolean): boolean {
  const isGiven = [values.baseUrl, values.apiKeyEnv, values.key].some((typed) => toText(typed) !== '');
  if (isGiven || presetOf(values.provider as Provider).key !== 'needed') return false;
  return !hasVariable && !isKeyOf(keyFor, values);
}

function toText(typed: TypedValues[string] | undefined): string {
  return typeof typed === 'string' ? typed.trim() : '';
}
