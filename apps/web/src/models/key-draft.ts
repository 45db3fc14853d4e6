/** Changes to the API keys of a model, as made in the form. Pure. */
import type { ShownModel } from '@crewagent/protocol/api/settings';
import { DEFAULT_KEY, keyNameSchema } from '@crewagent/protocol/model';
import type { ModelDraft } from './model-draft.ts';
import { presetOf } from './model-presets.ts';

export interface AddedKey {
  readonly name: string;
  readonly key: string;
}

export interface KeyDraft {
  /** Stored keys that stay. */
  readonly names: readonly string[];
  readonly removed: readonly string[];
  readonly used: string;
  readonly useNext: boolean;
  /** A further key; undefined until the person asks for it. */
  readonly added: AddedKey | undefined;
}

/** Each value is a key of the texts. */
export type AddedKeyIssue = 'keyName' | 'keyNameInUse' | 'keyMissing';

export function toKeyDraft({ keys }: Pick<ShownModel, 'keys'>): KeyDraft {
  return {
    names: keys?.names ?? [DEFAULT_KEY],
    removed: [],
    used: keys?.used ?? DEFAULT_KEY,
    useNext: keys?.useNext ?? false,
    added: undefined,
  };
}

/** If the key that is used is removed, the first of the others is used. */
export function withoutKey(draft: KeyDraft, name: string): KeyDraft {
  const names = draft.names.filter((each) => each !== name);
  const used = draft.used === name ? (names[0] ?? DEFAULT_KEY) : draft.used;
  return { ...draft, names, used, removed: [...draft.removed, name] };
}

/** A stored key is sent to the address it was stored for, and to no other. */
export type KeyOwner = Pick<ModelDraft, 'provider' | 'baseUrl'>;

export function isKeyOf(owner: KeyOwner | undefined, { provider, baseUrl }: KeyOwner): boolean {
  return owner?.provider === provider && owner.baseUrl.trim() === baseUrl.trim();
}

/** Whether the provider's own address needs a key and there is none; another address may work without. */
export function needsKey(draft: ModelDraft, keyFor: KeyOwner | undefined, hasVariable: boolean): boolean {
  if (presetOf(draft.provider).key !== 'needed' || draft.baseUrl.trim() !== '') return false;
  return !hasVariable && draft.apiKeyEnv.trim() === '' && !isKeyOf(keyFor, draft);
}

/** Undefined if nothing is added, or what is added is valid. */
export function issueOfAdded({ names, added }: KeyDraft): AddedKeyIssue | undefined {
  if (!added || isBlank(added)) return undefined;
  const name = added.name.trim();
  if (!keyNameSchema.safeParse(name).success) return 'keyName';
  if (names.includes(name)) return 'keyNameInUse';
  return added.key.trim() === '' ? 'keyMissing' : undefined;
}

/** The key to store; undefined if both fields were left empty. */
export function addedKey({ added }: KeyDraft): AddedKey | undefined {
  return added && !isBlank(added) ? { name: added.name.trim(), key: added.key.trim() } : undefined;
}

function isBlank({ name, key }: AddedKey): boolean {
  return name.trim() === '' && key.trim() === '';
}
