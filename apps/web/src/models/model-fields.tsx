/** Fields of a model: the common ones, and the rest behind a fold, where every field of the settings that has texts is shown. */
import '../i18n/settings-texts.ts';
import type { ModelOverride, OfferedModel } from '@crewagent/protocol/api/settings';
import type { Provider } from '@crewagent/protocol/model';
import { type ReactNode, useEffect, useState } from 'react';
import { formatCost } from '../i18n/format.ts';
import { fieldText, type Translation, useTranslation } from '../i18n/use-translation.ts';
import { useTeamServer } from '../state/team-server.ts';
import { Fold } from '../ui/fold.tsx';
import { FormField, type FormFieldProps, type FormState } from '../ui/forms/form-field.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { isKeyOf, type KeyOwner, MODEL_SHAPE, textOf, toShownKeyName } from './model-form.ts';
import { ModelNameField, useOfferedModels, withModel } from './model-name-field.tsx';
import { MODEL_PRESETS, type ModelPreset, presetOf } from './model-presets.ts';

interface ModelFieldsProps {
  readonly form: FormState;
  /** What a key is stored for; typing replaces it. Undefined: no key is stored. */
  readonly keyFor?: KeyOwner | undefined;
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
  const { form, keyFor, overrides = [], asksName = false, startsAtKey = false, hasPresets } = props;
  const { values, change } = form;
  const { t } = useTranslation();
  const preset = presetOf(values.provider as Provider);
  const hasKey = isKeyOf(keyFor, values);
  const name = textOf(values, 'name');
  const offered = useOfferedModels(values, hasKey && name !== '' ? name : undefined);
  const { models, problem } = offered;
  const isModelMissing = textOf(values, 'model') === '';
  // The only model that is offered is the one that is meant.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the list arrives; a name that is deleted stays deleted
  useEffect(() => {
    const [only] = models.length === 1 ? models : [];
    if (only && isModelMissing) change(withModel(values, only));
  }, [models]);
  const keyIssue = problem === 'refused' ? (textOf(values, 'key') === '' ? 'missing' : 'refused') : undefined;
  const [hasMore, setMore] = useState(startsAtKey && preset.key === 'none');
  const overrideOf = (field: ModelOverride['field']): string | undefined =>
    describeOverride(
      overrides.find((override) => override.field === field),
      t,
    );
  const address = (
    <ModelField
      form={form}
      path="baseUrl"
      hint={
        overrideOf('baseUrl') ??
        (problem === 'unreachable' && preset.key === 'none'
          ? t('modelForm.notRunning', { name: preset.brand ?? '' })
          : values.provider === 'generic'
            ? t('modelForm.addressHint')
            : undefined)
      }
      placeholder={preset.exampleUrl}
    />
  );
  const keys = (
    <>
      <ModelField
        form={keyIssue === undefined ? form : { ...form, issues: { key: keyIssue, ...form.issues } }}
        path="key"
        label={preset.key === 'needed' ? undefined : t('modelForm.keyOptional')}
        hint={overrideOf('key') ?? describeKey({ ...props, hasKey }, t)}
        placeholder={hasKey ? '••••••••' : ''}
        data-autofocus={startsAtKey || undefined}
      />
      {hasKey || textOf(values, 'key') !== '' ? undefined : <KeyHelp preset={preset} />}
      {props.keyFields}
    </>
  );
  const top = [
    'provider',
    'model',
    'addedKey',
    preset.showsAddress && 'baseUrl',
    preset.key !== 'none' && 'key',
  ];
  // A field with an issue must be visible.
  const isOpen = hasMore || Object.keys(form.issues).some((path) => !top.includes(path.split('.')[0] ?? ''));
  return (
    <div className="flex flex-col gap-3.5">
      {hasPresets ? (
        <ModelField
          form={{ ...form, change: (next) => change({ ...next, baseUrl: '' }) }}
          path="provider"
          choices={MODEL_PRESETS.map(({ provider, brand }) => ({
            value: provider,
            label: brand ?? t('modelForm.custom'),
          }))}
        />
      ) : undefined}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: leaving a field reloads the list of models */}
      <div onBlur={offered.refresh} className="flex flex-col gap-3.5">
        {preset.showsAddress ? address : undefined}
        {preset.key === 'none' ? undefined : keys}
      </div>
      <ModelNameField form={form} offered={offered} />
      <Fold isOpen={isOpen} onToggle={() => setMore(!isOpen)} summary={t('modelForm.more')}>
        {() => (
          <div className="flex flex-col gap-3.5 pt-1">
            {asksName ? (
              <ModelField form={form} path="name" placeholder={textOf(values, 'model')} />
            ) : undefined}
            {preset.showsAddress ? undefined : address}
            {preset.key === 'none' ? keys : undefined}
            <OtherFields form={form} chosen={models.find(({ id }) => id === textOf(values, 'model'))} />
          </div>
        )}
      </Fold>
    </div>
  );
}

/** Where a key comes from. */
function KeyHelp({ preset: { keyUrl, brand = '' } }: { readonly preset: ModelPreset }) {
  const { t } = useTranslation();
  if (keyUrl === undefined) return undefined;
  return (
    <p className="-mt-2 text-sm text-ink-faint">
      {t('modelForm.noKeyYet')}{' '}
      <a href={keyUrl} target="_blank" rel="noopener noreferrer" className="text-accent-text underline">
        {t('modelForm.getKey', { name: brand })}
      </a>
    </p>
  );
}

function ModelField(props: Omit<FormFieldProps, 'shape' | 'texts'>) {
  return <FormField shape={MODEL_SHAPE} texts="model" {...props} />;
}

const PLACED = new Set(['provider', 'model', 'baseUrl', 'name', 'key', 'addedKey']);
const OTHERS = Object.entries(MODEL_SHAPE.fields ?? {}).filter(([name]) => !PLACED.has(name));

interface OtherFieldsProps {
  readonly form: FormState;
  /** What the provider offers under the typed name. */
  readonly chosen: OfferedModel | undefined;
}

/** Numbers side by side; a group with its legend. */
function OtherFields({ form, chosen }: OtherFieldsProps) {
  const { t } = useTranslation();
  // Only workers of a team share a key.
  const isTeam = useTeamServer(({ me }) => me !== undefined);
  const shown = OTHERS.filter(
    ([name]) => fieldText(t, `model.${name}`, 'label') !== undefined && (isTeam || name !== 'limits'),
  );
  return (
    <div className="grid gap-3.5 sm:grid-cols-3">
      {shown.map(([name, { type, fields = {} }]) =>
        type === 'group' ? (
          <fieldset key={name} className="grid gap-3.5 sm:col-span-3 sm:grid-cols-3">
            <legend className="mb-1.5 text-sm text-ink-faint">
              {fieldText(t, `model.${name}`, 'label')}
            </legend>
            {Object.keys(fields).map((inner) => (
              <ModelField key={inner} form={form} path={`${name}.${inner}`} />
            ))}
            {name === 'prices' ? <PriceNote chosen={chosen} /> : undefined}
          </fieldset>
        ) : (
          <div key={name} className={type === 'number' ? undefined : 'sm:col-span-3'}>
            <ModelField
              form={form}
              path={name}
              placeholder={type === 'number' ? t('modelForm.usual') : undefined}
            />
          </div>
        ),
      )}
    </div>
  );
}

/** Which price is used if none is typed. */
function PriceNote({ chosen }: Pick<OtherFieldsProps, 'chosen'>) {
  const { t } = useTranslation();
  const { prices, pricesAsOf } = chosen ?? {};
  return (
    <p className="text-sm text-ink-faint sm:col-span-3">
      {prices && pricesAsOf !== undefined
        ? t('modelForm.listPrice', {
            input: formatCost(prices.input),
            output: formatCost(prices.output),
            date: pricesAsOf,
          })
        : t('modelForm.noPrice')}
    </p>
  );
}

interface StoredKey extends Pick<ModelFieldsProps, 'keyFor' | 'usedKey'> {
  readonly hasKey: boolean;
}

function describeKey({ keyFor, hasKey, usedKey }: StoredKey, t: Translation['t']): string {
  if (keyFor && !hasKey) return t('modelForm.keyOfOtherAddress');
  if (usedKey !== undefined) return t('modelForm.keyReplaces', { name: toShownKeyName(usedKey, t) });
  return t(hasKey ? 'modelForm.keyKept' : 'modelForm.keyHint');
}

function describeOverride(override: ModelOverride | undefined, t: Translation['t']): string | undefined {
  if (override === undefined) return undefined;
  const { field, variable, value = '' } = override;
  return t(`modelForm.overrides.${field}`, { variable, value: toShownLine(value) });
}
