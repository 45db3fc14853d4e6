/**
 * The name of a model: typed, or chosen from what the provider offers. What is typed filters the list, in which arrow keys, Enter
 * and Escape work as in every list of suggestions.
 */

import '../i18n/settings-texts.ts';
import { ApiError } from '@crewagent/protocol/api/client';
import type { OfferedModel } from '@crewagent/protocol/api/settings';
import type { Provider } from '@crewagent/protocol/model';
import { useEffect, useId, useRef, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { fieldText, useTranslation } from '../i18n/use-translation.ts';
import { Field } from '../ui/forms/field.tsx';
import type { FormState } from '../ui/forms/form-field.tsx';
import { Input, toCombobox } from '../ui/forms/input.tsx';
import { type TypedValues, toTypedValues } from '../ui/forms/typed-values.ts';
import { MODEL_SHAPE, textOf } from './model-form.ts';
import { filterModels, ModelList, toListKeys } from './model-list.tsx';
import { presetOf } from './model-presets.ts';

interface ModelNameFieldProps {
  readonly form: FormState;
  readonly offered: Pick<ReturnType<typeof useOfferedModels>, 'models' | 'isLoading'>;
}

export function ModelNameField({ form, offered: { models, isLoading } }: ModelNameFieldProps) {
  const { t } = useTranslation();
  const { values, issues, change } = form;
  const typed = String(values.model ?? '');
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  // A name that was chosen does not hide the others when the list is opened again.
  const [isTyping, setTyping] = useState(false);
  const { shown, more } = filterModels(models, isTyping ? typed : '');
  const hasList = isOpen && shown.length > 0;
  const open = (): void => {
    setTyping(false);
    setActive(
      Math.max(
        0,
        models.findIndex(({ id }) => id === textOf(values, 'model')),
      ),
    );
    setOpen(true);
  };
  const choose = (model: OfferedModel): void => {
    setOpen(false);
    change(withModel(values, model));
  };
  const press = toListKeys({
    models: shown,
    active,
    isOpen: hasList,
    onMove: setActive,
    onOpen: () => models.length > 0 && open(),
    onChoose: choose,
    onClose: () => setOpen(false),
  });
  const label = t('fields.model.model.label');
  const hint = isLoading
    ? t('modelForm.modelsLoading')
    : models.length > 0
      ? t('modelForm.chooseModel', { count: models.length })
      : fieldText(t, 'model.model', 'hint');
  return (
    <div>
      <Field
        label={label}
        hint={hint}
        issue={issues.model === undefined ? undefined : fieldText(t, 'model.model', 'missing')}
      >
        {(ids) => (
          <Input
            {...ids}
            {...(models.length > 0 && toCombobox(listId, active, hasList))}
            value={typed}
            placeholder={t('modelForm.example', {
              value: presetOf(values.provider as Provider).exampleModel,
            })}
            autoComplete="off"
            spellCheck={false}
            onFocus={open}
            onClick={open}
            onBlur={() => setOpen(false)}
            onKeyDown={press}
            onChange={(event) => {
              setTyping(true);
              setActive(0);
              setOpen(true);
              change({ ...values, model: event.target.value });
            }}
          />
        )}
      </Field>
      {hasList ? (
        <ModelList
          {...{ listId, active, more }}
          label={label}
          models={shown}
          onChoose={choose}
          className="mt-1 border bg-surface p-1"
        />
      ) : undefined}
    </div>
  );
}

/** The values with the chosen model; blank fields are filled with what the server reports. */
export function withModel(values: TypedValues, { id, contextTokens, ...model }: OfferedModel): TypedValues {
  // A list price is known to every run and may change: it is not stored.
  const prices = model.pricesAsOf === undefined ? model.prices : undefined;
  const reported = Object.entries(toTypedValues(MODEL_SHAPE, { contextTokens, prices }));
  const filled = reported.filter(([path, typed]) => typed !== '' && textOf(values, path) === '');
  return { ...values, ...Object.fromEntries(filled), model: id };
}

/** `savedModel`: name of a saved model whose key is used if none is typed. */
export function useOfferedModels(values: TypedValues, savedModel: string | undefined) {
  const client = useApi();
  const [models, setModels] = useState<readonly OfferedModel[]>([]);
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<ListProblem>();
  const asked = useRef('');
  const provider = values.provider as Provider;
  const [baseUrl, secret] = [textOf(values, 'baseUrl'), textOf(values, 'key')];
  /** Call when the URL or key field loses the focus: requests again if one of them changed. */
  const refresh = (): void => {
    const request = [provider, baseUrl, secret, savedModel].join('\n');
    if (asked.current === request) return;
    asked.current = request;
    setModels([]);
    setProblem(undefined);
    setLoading(false);
    if (!canAsk()) return;
    setLoading(true);
    const body = {
      savedModel: secret === '' ? savedModel : undefined,
      provider,
      baseUrl: baseUrl || undefined,
      key: secret || undefined,
    };
    const isCurrent = (): boolean => asked.current === request;
    client.models
      .listProviderModels({ body })
      .then((found) => isCurrent() && setModels(found.models))
      // Without a list the name is typed.
      .catch((error: unknown) => isCurrent() && setProblem(toProblem(error)))
      .finally(() => isCurrent() && setLoading(false));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the provider changes; typed fields refresh on blur
  useEffect(refresh, [provider]);
  return { models, isLoading, problem, refresh };

  function canAsk(): boolean {
    if (presetOf(provider).key === 'needed') return secret !== '' || savedModel !== undefined;
    return provider !== 'generic' || /^https?:\/\/./.test(baseUrl);
  }
}

/** Why there is no list: the key was refused, or nothing answers at the address. */
type ListProblem = 'refused' | 'unreachable' | undefined;

function toProblem(error: unknown): ListProblem {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'LLM_AUTH_FAILED') return 'refused';
  return error.code === 'LLM_HTTP_ERROR' ? 'unreachable' : undefined;
}
