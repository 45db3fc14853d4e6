/** The name of a model: chosen from the provider's list, or typed. */
import { useState } from 'react';
import type { OfferedModel } from '../api/settings-queries.ts';
import { formatCompact } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Field } from '../ui/forms/field.tsx';
import { Input } from '../ui/forms/input.tsx';
import { Select } from '../ui/forms/select.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import type { ModelDraft } from './model-draft.ts';
import { presetOf } from './model-presets.ts';
import type { OfferedModels } from './use-offered-models.ts';

interface ModelNameFieldProps {
  readonly draft: ModelDraft;
  readonly issue: string | undefined;
  readonly offered: OfferedModels;
  readonly onChange: (draft: ModelDraft) => void;
}

const TYPE_IT = ' ';

export function ModelNameField({
  draft,
  issue,
  offered: { models, isLoading },
  onChange,
}: ModelNameFieldProps) {
  const { t } = useTranslation();
  const [isTyped, setTyped] = useState(false);
  const isListed = draft.model === '' || models.some(({ id }) => id === draft.model);
  const hint = isLoading ? t('modelForm.modelsLoading') : t('modelForm.modelHint');
  const choose = (id: string): void => {
    if (id === TYPE_IT) setTyped(true);
    else
      onChange(
        withModel(
          draft,
          models.find((one) => one.id === id),
        ),
      );
  };
  return (
    <Field label={t('modelForm.model')} hint={models.length > 0 && !isTyped ? undefined : hint} issue={issue}>
      {(ids) =>
        models.length > 0 && isListed && !isTyped ? (
          <Select
            {...ids}
            value={draft.model}
            onChoose={choose}
            options={[
              { value: '', label: t('modelForm.chooseModel', { count: models.length }) },
              ...models.map((one) => ({ value: one.id, label: labelOf(one) })),
              { value: TYPE_IT, label: t('modelForm.typeModel') },
            ]}
          />
        ) : (
          <Input
            {...ids}
            value={draft.model}
            placeholder={t('modelForm.example', { value: presetOf(draft.provider).exampleModel })}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange({ ...draft, model: event.target.value })}
          />
        )
      }
    </Field>
  );
}

function labelOf({ id, name, contextTokens }: OfferedModel): string {
  const shown = toShownLine(name ?? id);
  return contextTokens === undefined ? shown : `${shown} · ${formatCompact(contextTokens)}`;
}

/** Fills empty fields with what the server reports about the model. */
function withModel(draft: ModelDraft, model: OfferedModel | undefined): ModelDraft {
  if (!model) return { ...draft, model: '' };
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
