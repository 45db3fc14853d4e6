/** Fields of a model: the common ones, and the rest behind a fold. */
import type { ModelOverride } from '@crewagent/protocol/api/settings';
import { type ReactNode, useState } from 'react';
import { type Translation, useTranslation } from '../i18n/use-translation.ts';
import { Fold } from '../ui/fold.tsx';
import { Field } from '../ui/forms/field.tsx';
import { Input } from '../ui/forms/input.tsx';
import { Select } from '../ui/forms/select.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { isKeyOf, type KeyOwner } from './key-draft.ts';
import { KeyInput } from './key-input.tsx';
import type { DraftField, DraftIssue, ModelDraft } from './model-draft.ts';
import { ModelNameField } from './model-name-field.tsx';
import { MODEL_PRESETS, presetOf } from './model-presets.ts';
import { toShownKeyName } from './shown-key-name.ts';
import { useOfferedModels } from './use-offered-models.ts';

interface ModelFieldsProps {
  readonly draft: ModelDraft;
  readonly issues: Readonly<Partial<Record<DraftField, DraftIssue>>>;
  readonly onChange: (draft: ModelDraft) => void;
  readonly secret: string;
  readonly onSecret: (key: string) => void;
  /** What a key is stored for; typing replaces it. Undefined: no key is stored. */
  readonly keyFor?: KeyOwner | undefined;
  /** A key is needed and was not typed. */
  readonly isKeyMissing?: boolean;
  /** Which key is replaced by typing, if there are several. */
  readonly usedKey?: string | undefined;
  /** The other keys of a saved model, below the key field. */
  readonly keyFields?: ReactNode;
  /** Overrides of the environment are shown at their fields. */
  readonly overrides?: readonly ModelOverride[];
  /** Undefined: derived from the model. False: the name cannot change. */
  readonly asksName?: boolean;
  readonly hasPresets?: boolean;
  /** Focuses the key field first. */
  readonly startsAtKey?: boolean;
}

export function ModelFields(props: ModelFieldsProps) {
  const {
    draft,
    issues,
    onChange,
    secret,
    onSecret,
    keyFor,
    isKeyMissing = false,
    overrides = [],
    asksName = false,
    startsAtKey = false,
    usedKey,
    keyFields,
  } = props;
  const { t } = useTranslation();
  const preset = presetOf(draft.provider);
  const hasKey = isKeyOf(keyFor, draft);
  const offered = useOfferedModels({
    draft,
    secret,
    savedModel: hasKey && draft.name !== '' ? draft.name : undefined,
  });
  const [hasMore, setMore] = useState(startsAtKey && preset.key === 'none');
  const text = { draft, issues, onChange };
  const overrideOf = (field: ModelOverride['field']): string | undefined =>
    describeOverride(
      overrides.find((override) => override.field === field),
      t,
    );
  const address = (
    <DraftInput
      {...text}
      field="baseUrl"
      label={t('modelForm.address')}
      hint={
        overrideOf('baseUrl') ??
        t(draft.provider === 'generic' ? 'modelForm.addressHint' : 'modelForm.addressUsual')
      }
      example={preset.exampleUrl}
    />
  );
  const keys = (
    <>
      <SecretField
        value={secret}
        onChange={onSecret}
        hint={overrideOf('key') ?? describeKey({ keyFor, hasKey, usedKey }, t)}
        issue={isKeyMissing ? t('modelForm.issues.keyMissing') : undefined}
        hasKey={hasKey}
        isNeeded={preset.key === 'needed'}
        startsHere={startsAtKey}
      />
      {keyFields}
    </>
  );
  // A field with an issue must be visible.
  const isOpen = hasMore || MORE_FIELDS.some((field) => issues[field] !== undefined);
  return (
    <div className="flex flex-col gap-3.5">
      {props.hasPresets ? (
        <ProviderField
          value={draft.provider}
          onChoose={(provider) => onChange({ ...draft, provider, baseUrl: '' })}
        />
      ) : undefined}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: leaving a field reloads the list of models */}
      <div onBlur={offered.refresh} className="flex flex-col gap-3.5">
        {preset.showsAddress ? address : undefined}
        {preset.key === 'none' ? undefined : keys}
      </div>
      <ModelNameField
        draft={draft}
        issue={issues.model === undefined ? undefined : t(`modelForm.issues.${issues.model}`)}
        offered={offered}
        onChange={onChange}
      />
      <Fold isOpen={isOpen} onToggle={() => setMore(!isOpen)} summary={t('modelForm.more')}>
        {() => (
          <div className="flex flex-col gap-3.5 pt-1">
            {asksName ? (
              <DraftInput
                {...text}
                field="name"
                label={t('modelForm.name')}
                hint={t('modelForm.nameHint')}
                example={draft.model.trim()}
              />
            ) : undefined}
            {preset.showsAddress ? undefined : address}
            {preset.key === 'none' ? keys : undefined}
            <RareFields {...text} />
          </div>
        )}
      </Fold>
    </div>
  );
}

interface StoredKey extends Pick<ModelFieldsProps, 'keyFor' | 'usedKey'> {
  readonly hasKey: boolean;
}

/** Undefined where there is one key or none. */
function describeKey({ keyFor, hasKey, usedKey }: StoredKey, t: Translation['t']): string | undefined {
  if (keyFor && !hasKey) return t('modelForm.keyOfOtherAddress');
  return usedKey === undefined ? undefined : t('modelForm.keyReplaces', { name: toShownKeyName(usedKey, t) });
}

function describeOverride(override: ModelOverride | undefined, t: Translation['t']): string | undefined {
  if (override === undefined) return undefined;
  const { field, variable, value = '' } = override;
  return t(`modelForm.overrides.${field}`, { variable, value: toShownLine(value) });
}

const MORE_FIELDS: readonly DraftField[] = [
  'name',
  'apiKeyEnv',
  'contextTokens',
  'maxOutputTokens',
  'temperature',
  'inputPrice',
  'cachedPrice',
  'outputPrice',
];

type TextProps = Pick<ModelFieldsProps, 'draft' | 'issues' | 'onChange'>;

interface DraftInputProps extends TextProps {
  readonly field: DraftField;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly example?: string | undefined;
}

function DraftInput({ draft, issues, onChange, field, label, hint, example }: DraftInputProps) {
  const { t } = useTranslation();
  const issue = issues[field];
  return (
    <Field label={label} hint={hint} issue={issue === undefined ? undefined : t(`modelForm.issues.${issue}`)}>
      {(ids) => (
        <Input
          {...ids}
          value={draft[field]}
          placeholder={example}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ ...draft, [field]: event.target.value })}
        />
      )}
    </Field>
  );
}

interface ProviderFieldProps {
  readonly value: ModelDraft['provider'];
  readonly onChoose: (provider: ModelDraft['provider']) => void;
}

function ProviderField({ value, onChoose }: ProviderFieldProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('modelForm.provider')}>
      {(ids) => (
        <Select
          {...ids}
          value={value}
          onChoose={(provider) => onChoose(provider as ModelDraft['provider'])}
          options={MODEL_PRESETS.map(({ provider, brand }) => ({
            value: provider,
            label: brand ?? t('modelForm.custom'),
          }))}
        />
      )}
    </Field>
  );
}

/** The variable with the key, limits and prices. */
function RareFields(text: TextProps) {
  const { t } = useTranslation();
  const example = t('modelForm.usual');
  return (
    <>
      <DraftInput
        {...text}
        field="apiKeyEnv"
        label={t('modelForm.keyEnv')}
        hint={t('modelForm.keyEnvHint')}
      />
      <div className="grid gap-3.5 sm:grid-cols-3">
        <DraftInput {...text} field="contextTokens" label={t('modelForm.contextTokens')} example={example} />
        <DraftInput {...text} field="maxOutputTokens" label={t('modelForm.maxOutput')} example={example} />
        <DraftInput {...text} field="temperature" label={t('modelForm.temperature')} example={example} />
      </div>
      <Field label={t('modelForm.size')} hint={t('modelForm.sizeHint')}>
        {(ids) => (
          <Select
            {...ids}
            value={text.draft.size}
            onChoose={(size) => text.onChange({ ...text.draft, size: size as ModelDraft['size'] })}
            options={(['auto', 'small', 'full'] as const).map((size) => ({
              value: size,
              label: t(`modelForm.sizes.${size}`),
            }))}
          />
        )}
      </Field>
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1.5 text-sm text-ink-faint">{t('modelForm.prices')}</legend>
        <div className="grid gap-3.5 sm:grid-cols-3">
          <DraftInput {...text} field="inputPrice" label={t('modelForm.inputPrice')} />
          <DraftInput {...text} field="cachedPrice" label={t('modelForm.cachedPrice')} />
          <DraftInput {...text} field="outputPrice" label={t('modelForm.outputPrice')} />
        </div>
      </fieldset>
    </>
  );
}

interface SecretFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Replaces the default hint. */
  readonly hint: string | undefined;
  readonly issue: string | undefined;
  readonly hasKey: boolean;
  readonly isNeeded: boolean;
  readonly startsHere: boolean;
}

/** The stored value is never shown. */
function SecretField(props: SecretFieldProps) {
  const { value, onChange, hint, issue, hasKey, isNeeded, startsHere } = props;
  const { t } = useTranslation();
  return (
    <Field
      label={t(isNeeded ? 'modelForm.key' : 'modelForm.keyOptional')}
      hint={hint ?? t(hasKey ? 'modelForm.keyKept' : 'modelForm.keyHint')}
      issue={issue}
    >
      {(ids) => (
        <KeyInput
          {...ids}
          value={value}
          placeholder={hasKey ? '••••••••' : ''}
          data-autofocus={startsHere || undefined}
          onChange={onChange}
        />
      )}
    </Field>
  );
}
