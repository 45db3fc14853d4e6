/**
 * The name of a model: typed, or chosen from what the provider offers. What is typed filters the list, in which arrow keys, Enter
 * and Escape work as in every list of suggestions.
 */
import { type KeyboardEvent, useId, useState } from 'react';
import type { OfferedModel } from '../api/settings-queries.ts';
import { formatCompact } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classNames } from '../ui/class-names.ts';
import { Field } from '../ui/forms/field.tsx';
import { Input } from '../ui/forms/input.tsx';
import { isComposing } from '../ui/forms/is-composing.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { filterModels } from './filter-models.ts';
import type { ModelDraft } from './model-draft.ts';
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
  const press = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step !== undefined && models.length > 0) {
      event.preventDefault();
      if (hasList) setActive(Math.min(Math.max(active + step, 0), shown.length - 1));
      else open();
    }
    const chosen = shown[active];
    if (event.key === 'Enter' && hasList && chosen) {
      event.preventDefault();
      choose(chosen);
    }
    if (event.key === 'Escape' && hasList) {
      // Only the list is left, not the dialog around it.
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };
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
        <div
          id={listId}
          role="listbox"
          aria-label={t('modelForm.model')}
          tabIndex={-1}
          className="mt-1 max-h-60 overflow-y-auto rounded-md border bg-surface p-1"
        >
          {shown.map((model, index) => (
            <ModelOption
              key={model.id}
              id={`${listId}-${index}`}
              model={model}
              isActive={index === active}
              onChoose={() => choose(model)}
            />
          ))}
          {more > 0 ? (
            <p className="px-2 py-1 text-sm text-ink-faint">{t('modelForm.moreModels', { count: more })}</p>
          ) : undefined}
        </div>
      ) : undefined}
    </div>
  );
}

interface ModelOptionProps {
  readonly id: string;
  readonly model: OfferedModel;
  readonly isActive: boolean;
  readonly onChoose: () => void;
}

function ModelOption({ id, model, isActive, onChoose }: ModelOptionProps) {
  const { contextTokens, prices } = model;
  const facts = [
    contextTokens === undefined ? '' : formatCompact(contextTokens),
    prices === undefined ? '' : `$${prices.input} / $${prices.output}`,
  ].filter(Boolean);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      ref={(option) => {
        if (isActive) option?.scrollIntoView({ block: 'nearest' });
      }}
      // The field keeps the keyboard.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={classNames(
        'flex min-h-8 cursor-pointer items-center gap-3 rounded-sm px-2 py-1 hover:bg-hover pointer-coarse:min-h-10',
        isActive && 'bg-pressed',
      )}
    >
      <span className="min-w-0 grow wrap-anywhere">{toShownLine(model.name ?? model.id)}</span>
      {facts.length === 0 ? undefined : (
        <span className="shrink-0 text-sm text-ink-soft tabular-nums">{facts.join(' · ')}</span>
      )}
    </div>
  );
}

/** What the server reports of the model fills fields that nobody filled. */
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
