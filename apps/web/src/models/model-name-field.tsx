/**
 * The name of a model: typed, or chosen from what the provider offers. What is typed filters the list, in which arrow keys, Enter
 * and Escape work as in every list of suggestions.
 */
import { useId, useState } from 'react';
import type { OfferedModel } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Field } from '../ui/forms/field.tsx';
import { Input } from '../ui/forms/input.tsx';
import { filterModels } from './filter-models.ts';
import type { ModelDraft } from './model-draft.ts';
import { ModelList, toListKeys } from './model-list.tsx';
import { presetOf } from './model-presets.ts';
import type { OfferedModels } from './use-offered-models.ts';

interface ModelNameFieldProps {
  readonly draft: ModelDraft;
  readonly issue: string | undefined;
  readonly offered: OfferedModels;
  readonly onChange: (draft: ModelDraft) => void;
}

export function ModelNameField({
  draft,
  issue,
  offered: { models, isLoading },
  onChange,
}: ModelNameFieldProps) {
  const { t } = useTranslation();
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  // A name that was chosen does not hide the others when the list is opened again.
  const [isTyping, setTyping] = useState(false);
  const { shown, more } = filterModels(models, isTyping ? draft.model : '');
  const hasList = isOpen && shown.length > 0;
  const open = (): void => {
    setTyping(false);
    setActive(
      Math.max(
        0,
        models.findIndex(({ id }) => id === draft.model),
      ),
    );
    setOpen(true);
  };
  const choose = (model: OfferedModel): void => {
    setOpen(false);
    onChange(withModel(draft, model));
  };
  const press = toListKeys({
    count: shown.length,
    active,
    isOpen: hasList,
    onMove: setActive,
    onOpen: () => models.length > 0 && open(),
    onChoose: (index) => {
      const chosen = shown[index];
      if (chosen) choose(chosen);
    },
    onClose: () => setOpen(false),
  });
  const hint = isLoading
    ? t('modelForm.modelsLoading')
    : models.length > 0
      ? t('modelForm.chooseModel', { count: models.length })
      : t('modelForm.modelHint');
  return (
    <div>
      <Field label={t('modelForm.model')} hint={hint} issue={issue}>
        {(ids) => (
          <Input
            {...ids}
            {...(models.length === 0
              ? {}
              : {
                  role: 'combobox',
                  'aria-expanded': hasList,
                  'aria-controls': hasList ? listId : undefined,
                  'aria-autocomplete': 'list' as const,
                  'aria-activedescendant': hasList ? `${listId}-${active}` : undefined,
                })}
            value={draft.model}
            placeholder={t('modelForm.example', { value: presetOf(draft.provider).exampleModel })}
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
              onChange({ ...draft, model: event.target.value });
            }}
          />
        )}
      </Field>
      {hasList ? (
        <ModelList
          {...{ listId, active, more }}
          label={t('modelForm.model')}
          models={shown}
          onChoose={choose}
          className="mt-1 border bg-surface p-1"
        />
      ) : undefined}
    </div>
  );
}

/** The draft with the chosen model; empty fields are filled with the values that the server reports. */
function withModel(draft: ModelDraft, model: OfferedModel): ModelDraft {
  const { contextTokens, prices } = model;
  const keep = (typed: string, reported: number | undefined): string =>
    typed === '' && reported !== undefined ? String(reported) : typed;
  return {
    ...draft,
    model: model.id,
    contextTokens: keep(draft.contextTokens, contextTokens),
    inputPrice: keep(draft.inputPrice, prices?.input),
    cachedPrice: keep(draft.cachedPrice, prices?.cachedInput),
    outputPrice: keep(draft.outputPrice, prices?.output),
  };
}
