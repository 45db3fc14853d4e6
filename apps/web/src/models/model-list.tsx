/** The list of models below a field that filters it: the field has the focus and handles the keys. */

import type { OfferedModel } from '@crewagent/protocol/api/settings';
import { Check } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { formatCompact } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classNames } from '../ui/class-names.ts';
import { isComposing, SearchInput, toCombobox } from '../ui/forms/input.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';

interface ModelListProps {
  /** For `aria-controls`; an option has the id `${listId}-${index}`. */
  readonly listId: string;
  readonly label: string;
  readonly models: readonly OfferedModel[];
  readonly active: number;
  /** Number of fitting models that are not shown. */
  readonly more: number;
  /** The one in use. */
  readonly current?: string;
  readonly onChoose: (model: OfferedModel) => void;
  readonly className?: string;
}

export function ModelList(props: ModelListProps) {
  const { listId, label, models, active, more, current, onChoose, className } = props;
  const { t } = useTranslation();
  return (
    <div
      id={listId}
      role="listbox"
      aria-label={label}
      tabIndex={-1}
      className={classNames('max-h-60 overflow-y-auto rounded-md', className)}
    >
      {models.map((model, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
        <div
          key={model.id}
          id={`${listId}-${index}`}
          role="option"
          aria-selected={index === active}
          aria-current={model.id === current || undefined}
          tabIndex={-1}
          ref={(option) => {
            if (index === active) option?.scrollIntoView({ block: 'nearest' });
          }}
          // The field keeps the keyboard.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(model)}
          className={classNames(
            'flex min-h-8 cursor-pointer items-center gap-3 rounded-sm px-2 py-1 hover:bg-hover pointer-coarse:min-h-11',
            index === active && 'bg-pressed',
          )}
        >
          <span className="min-w-0 grow wrap-anywhere">{toShownLine(model.name ?? model.id)}</span>
          {model.id === current ? <Check className="size-4 shrink-0 text-accent-text" /> : undefined}
          <span className="shrink-0 text-sm text-ink-soft tabular-nums empty:hidden">{factsOf(model)}</span>
        </div>
      ))}
      {more > 0 ? (
        <p className="px-2 py-1 text-sm text-ink-faint">{t('model.more', { count: more })}</p>
      ) : undefined}
    </div>
  );
}

function factsOf({ contextTokens, prices }: OfferedModel): string {
  return [
    contextTokens === undefined ? '' : formatCompact(contextTokens),
    prices === undefined ? '' : `$${prices.input} / $${prices.output}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

interface ListKeys {
  readonly models: readonly OfferedModel[];
  readonly active: number;
  readonly isOpen: boolean;
  readonly onMove: (index: number) => void;
  /** An arrow key was pressed while the list is closed. */
  readonly onOpen?: () => void;
  readonly onChoose: (model: OfferedModel) => void;
  readonly onClose: () => void;
}

/** Handler for the field: arrows and page keys move, Enter chooses, Escape closes the list and nothing around it. */
export function toListKeys({ models, active, isOpen, onMove, onOpen, onChoose, onClose }: ListKeys) {
  return (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (isOpen) onMove(Math.min(Math.max(active + step, 0), models.length - 1));
      else onOpen?.();
    }
    const chosen = models[active];
    if (event.key === 'Enter' && isOpen && chosen) {
      event.preventDefault();
      onChoose(chosen);
    }
    if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    }
  };
}

/** As many as a list can show at once; typing narrows them down. */
const MOST = 100;

/** Models whose name contains every word that was typed; those that begin with it first. Pure. */
export function filterModels(
  models: readonly OfferedModel[],
  text: string,
): { readonly shown: readonly OfferedModel[]; readonly more: number } {
  const typed = text.trim().toLowerCase();
  const words = typed.split(/\s+/).filter(Boolean);
  const fitting = models.filter(({ id, name }) => {
    const said = `${id} ${name ?? ''}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
  const begins = ({ id }: OfferedModel): boolean => id.toLowerCase().startsWith(typed);
  const sorted =
    typed === '' ? fitting : [...fitting.filter(begins), ...fitting.filter((one) => !begins(one))];
  return { shown: sorted.slice(0, MOST), more: Math.max(0, sorted.length - MOST) };
}

interface ModelSearchProps {
  readonly label: string;
  readonly models: readonly OfferedModel[];
  readonly current: string;
  readonly onChoose: (model: OfferedModel) => void;
  readonly onClose: () => void;
}

/** Finds one of many models by typing: a field, and the list that it filters. */
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
  const onMove = setActive;
  const press = toListKeys({ models: shown, active, isOpen: hasList, onMove, onChoose, onClose });
  return (
    <div className="flex flex-col gap-1.5">
      <SearchInput
        type="text"
        label={t('composer.findModel')}
        {...toCombobox(listId, active, hasList)}
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
