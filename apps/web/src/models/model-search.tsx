/** Finds one of many models by typing: a field, and the list that it filters. */
import { useId, useState } from 'react';
import type { OfferedModel } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { SearchInput } from '../ui/forms/input.tsx';
import { filterModels } from './filter-models.ts';
import { ModelList, toListKeys } from './model-list.tsx';

interface ModelSearchProps {
  readonly label: string;
  readonly models: readonly OfferedModel[];
  readonly current: string;
  readonly onChoose: (model: OfferedModel) => void;
  readonly onClose: () => void;
}

export function ModelSearch({ label, models, current, onChoose, onClose }: ModelSearchProps) {
  const { t } = useTranslation();
  const listId = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      models.findIndex(({ id }) => id === current),
    ),
  );
  const { shown, more } = filterModels(models, text);
  const hasList = shown.length > 0;
  const press = toListKeys({
    count: shown.length,
    active,
    isOpen: hasList,
    onMove: setActive,
    onChoose: (index) => {
      const chosen = shown[index];
      if (chosen) onChoose(chosen);
    },
    onClose,
  });
  return (
    <div className="flex flex-col gap-1.5">
      <SearchInput
        type="text"
        role="combobox"
        label={t('composer.findModel')}
        aria-expanded={hasList}
        aria-controls={hasList ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={hasList ? `${listId}-${active}` : undefined}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onKeyDown={press}
        onChange={(typed) => {
          setText(typed);
          setActive(0);
        }}
      />
      {hasList ? (
        <ModelList {...{ listId, label, active, more, current, onChoose }} models={shown} />
      ) : (
        <p role="status" className="px-2 py-1 text-ink-faint">
          {t('composer.noModel')}
        </p>
      )}
    </div>
  );
}
