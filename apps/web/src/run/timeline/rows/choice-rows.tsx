/** Menus and choices as numbered buttons: pressing one sends its number. */
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { ItemOf } from '@crewagent/protocol/story/items';
import { entriesFor, isOfRun, numberOf, withoutNumber } from '@crewagent/protocol/story/to-item';
import type { ButtonHTMLAttributes, Ref } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { ownSurface } from '../../../state/connection.ts';
import { classNames } from '../../../ui/class-names.ts';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { Tooltip } from '../../../ui/tooltip.tsx';

interface ChoiceProps {
  readonly onInput: (text: string) => void;
  /** Another message was sent since: a number would now mean something else. */
  readonly isOver: boolean;
}

export function MenuRow({ item, onInput, isOver }: ChoiceProps & { readonly item: ItemOf<'menu'> }) {
  return <MenuGrid entries={entriesFor(item, ownSurface())} onInput={onInput} isOver={isOver} />;
}

export function MenuGrid({
  entries,
  onInput,
  isOver,
}: ChoiceProps & { readonly entries: readonly MenuEntry[] }) {
  const { t } = useTranslation();
  return (
    <nav aria-label={t('menu.label')} className="my-3">
      <ol className="grid gap-1.5 sm:grid-cols-2">
        {entries.map((entry) => (
          <li key={entry.index} className="min-w-0">
            <Choice
              number={String(entry.index)}
              label={entry.label}
              hint={entry.description}
              isOver={isOver}
              onChoose={() => onInput(String(entry.index))}
            />
          </li>
        ))}
      </ol>
    </nav>
  );
}

export function ChoicesRow({ item, onInput, isOver }: ChoiceProps & { readonly item: ItemOf<'choices'> }) {
  const { t } = useTranslation();
  const areRuns = item.candidates.some(isOfRun);
  return (
    <fieldset aria-label={t(areRuns ? 'menu.runs' : 'menu.choices')} className="my-3">
      <p className="mb-1.5 text-ink-soft wrap-anywhere">
        {areRuns ? t('menu.runs') : toShownLine(item.reason)}
      </p>
      <ol className="flex flex-col gap-1.5">
        {item.candidates.map((choice) => (
          <li key={choice.input}>
            <ChoiceButton
              number={numberOf(choice)}
              label={withoutNumber(choice)}
              isOver={isOver}
              onChoose={() => onInput(choice.input)}
              className={BORDERED}
            />
          </li>
        ))}
      </ol>
    </fieldset>
  );
}

const BORDERED = 'border bg-surface enabled:hover:border-line-strong';

interface OneChoiceProps {
  readonly number: string;
  readonly label: string;
  readonly hint?: string;
  readonly isOver: boolean;
  readonly onChoose: () => void;
}

function Choice(props: OneChoiceProps) {
  const { hint = '' } = props;
  const button = <ChoiceButton {...props} isShort className={BORDERED} />;
  return hint === '' ? button : <Tooltip text={toShownLine(hint)}>{button}</Tooltip>;
}

interface ChoiceButtonProps extends OneChoiceProps, ButtonHTMLAttributes<HTMLButtonElement> {
  /** One line per text; the full text is elsewhere. */
  readonly isShort?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function ChoiceButton(props: ChoiceButtonProps) {
  const { number, label, hint = '', isOver, isShort = false, onChoose, className, ...attributes } = props;
  return (
    <button
      type="button"
      {...attributes}
      disabled={isOver}
      onClick={onChoose}
      className={classNames(
        'group flex w-full gap-2.5 rounded-lg px-2.5 py-2 text-start enabled:hover:bg-hover disabled:text-ink-faint',
        isShort ? 'items-center' : 'items-start',
        className,
      )}
    >
      <span className="flex h-5 min-w-5 shrink-0 items-center justify-center rounded-sm bg-hover px-1 font-mono text-xs text-ink-soft group-enabled:group-hover:bg-pressed">
        {number}
      </span>
      <span className="min-w-0">
        <span className={classNames('block font-medium', isShort ? 'truncate' : 'wrap-anywhere')}>
          {toShownLine(label)}
        </span>
        {hint === '' || hint === label ? undefined : (
          <span
            className={classNames('text-sm text-ink-faint wrap-anywhere', isShort ? 'line-clamp-2' : 'block')}
          >
            {toShownLine(hint)}
          </span>
        )}
      </span>
    </button>
  );
}
