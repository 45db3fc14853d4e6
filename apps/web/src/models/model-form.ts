/** The form of a model: its settings, its name, and API keys, which are stored apart from it. Pure. */
import '../i18n/settings-texts.ts';
import { profileNameSchema } from '@crewagent/protocol/api/ids';
import type { ShownModel } from '@crewagent/protocol/api/settings';
import { describeField } from '@crewagent/protocol/describe-fields';
import {
  DEFAULT_KEY,
  keyNameSchema,
  type ModelSettings,
  modelSettingsSchema,
  type Provider,
} from '@crewagent/protocol/model';
import * as z from '@crewagent/protocol/zod';
import type { Translation } from '../i18n/use-translation.ts';
import { type FieldIssues, parseForm, type TypedValues, toTypedValues } from '../ui/forms/typed-values.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { presetOf } from './model-presets.ts';

const keySchema = z.string().check(z.minLength(1), z.meta({ format: 'password' }));

const formSchema = z.extend(modelSettingsSchema, {
  name: z.optional(profileNameSchema.check(z.refine((name) => name !== 'rehearsal'))),
  key: z.optional(keySchema),
  /** A further key of a model that has one. */
  addedKey: z.optional(z.strictObject({ name: keyNameSchema, key: keySchema })),
});
type ModelForm = z.infer<typeof formSchema>;

export const MODEL_SHAPE = describeField(formSchema);

/** Fields that the form does not show keep their values. */
export function toModelValues(model: Partial<ModelForm>): TypedValues {
  return toTypedValues(MODEL_SHAPE, model);
}

export function textOf(values: TypedValues, path: string): string {
  const typed = values[path];
  return typeof typed === 'string' ? typed.trim() : '';
}

interface ModelContext {
  readonly otherNames: readonly string[];
  /** The saved models, for a model that is added: adding one again replaces it. */
  readonly saved?: readonly Pick<ShownModel, 'name' | 'settings'>[] | undefined;
  /** Names of the stored keys. */
  readonly keyNames?: readonly string[] | undefined;
  readonly keyFor: KeyOwner | undefined;
  /** A variable of the environment has a key. */
  readonly hasKeyVariable: boolean;
}

export type ParsedModel =
  | {
      readonly ok: true;
      readonly name: string;
      readonly settings: ModelSettings;
      /** Undefined: the key does not change. */
      readonly key: string | undefined;
      readonly addedKey: ModelForm['addedKey'];
    }
  | { readonly ok: false; readonly issues: FieldIssues };

/** An empty name is derived from the model and made unique. */
export function parseModel(values: TypedValues, context: ModelContext): ParsedModel {
  const { saved = [], keyNames = [], keyFor, hasKeyVariable } = context;
  const parsed = parseForm<ModelForm>(MODEL_SHAPE, values);
  const typedName = textOf(values, 'name');
  const same = typedName === '' ? saved.find(({ settings }) => isSameModel(settings, values)) : undefined;
  const otherNames = context.otherNames.filter((other) => other !== same?.name);
  const name = typedName || (same?.name ?? nameAfter(values, otherNames));
  const isAddressMissing = values.provider === 'generic' && textOf(values, 'baseUrl') === '';
  const issues: FieldIssues = {
    ...(otherNames.includes(name) && { name: 'taken' }),
    ...(keyNames.includes(textOf(values, 'addedKey.name')) && { 'addedKey.name': 'taken' }),
    ...(isAddressMissing && { baseUrl: 'missing' }),
    ...(needsKey(values, keyFor, hasKeyVariable) && { key: 'missing' }),
    ...(!parsed.ok && parsed.issues),
  };
  if (!parsed.ok || Object.keys(issues).length > 0) return { ok: false, issues };
  const { name: _, key, addedKey, ...settings } = parsed.value;
  return { ok: true, name, settings, key, addedKey };
}

/** The same model at the same address. */
function isSameModel({ provider, baseUrl = '', model }: ModelSettings, values: TypedValues): boolean {
  return (
    provider === values.provider && baseUrl === textOf(values, 'baseUrl') && model === textOf(values, 'model')
  );
}

/** Falls back to the provider if the model's name has no usable characters. */
function nameAfter(values: TypedValues, others: readonly string[]): string {
  const letters = textOf(values, 'model')
    .replace(/[^\w.:-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 58);
  const plain = letters || textOf(values, 'provider');
  const taken = new Set([...others, 'rehearsal']);
  let name = plain;
  for (let count = 2; taken.has(name); count++) name = `${plain}-${count}`;
  return name;
}

export interface KeyDraft {
  /** Stored keys that stay. */
  readonly names: readonly string[];
  readonly removed: readonly string[];
  readonly used: string;
  readonly useNext: boolean;
  /** A further key is typed. */
  readonly isAdding: boolean;
}

/** Changes to the API keys of a model, as made in the form. Pure. */
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
function needsKey(values: TypedValues, keyFor: KeyOwner | undefined, hasVariable: boolean): boolean {
  const isGiven = [values.baseUrl, values.apiKeyEnv, values.key].some((typed) => toText(typed) !== '');
  if (isGiven || presetOf(values.provider as Provider).key !== 'needed') return false;
  return !hasVariable && !isKeyOf(keyFor, values);
}

function toText(typed: TypedValues[string] | undefined): string {
  return typeof typed === 'string' ? typed.trim() : '';
}

/** The name of an API key for display: the key that has no name of its own is called by the language of the page. */
export function toShownKeyName(name: string, t: Translation['t']): string {
  return name === DEFAULT_KEY ? t('modelForm.firstKey') : toShownLine(name);
}
