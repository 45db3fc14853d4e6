/** Switches between the last and the next request. */
import { useId } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { classNames } from '../../../ui/class-names.ts';

export type Which = 'last' | 'next';

interface ContextSwitchProps {
  readonly which: Which;
  /** The turn of the last request; undefined before the first. */
  readonly turn: number | undefined;
  readonly onChange: (which: Which) => void;
}

export function ContextSwitch({ which, turn, onChange }: ContextSwitchProps) {
  const { t } = useTranslation();
  const name = useId();
  const labels = {
    last: turn === undefined ? t('context.notSent') : t('context.last', { turn }),
    next: t('context.next'),
  };
  return (
    <div role="radiogroup" aria-label={t('context.which')} className="flex gap-1 rounded-md bg-hover p-0.5">
      {(['last', 'next'] as const).map((value) => {
        const isDisabled = value === 'last' && turn === undefined;
        return (
          <label
            key={value}
            className={classNames(
              'flex flex-1 items-center justify-center rounded-sm px-2 py-1 text-center text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent-text',
              isDisabled ? 'text-ink-faint' : 'cursor-pointer',
              value === which ? 'bg-surface font-medium text-ink' : 'text-ink-soft',
            )}
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={value === which}
              disabled={isDisabled}
              onChange={() => onChange(value)}
            />
            {labels[value]}
          </label>
        );
      })}
    </div>
  );
}
