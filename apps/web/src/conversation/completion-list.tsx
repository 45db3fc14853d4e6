/** The choices above the composer. The cursor stays in the text; which one is meant is told to screen readers from there. */
import { FileText, SquareSlash } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { en } from '../i18n/en.ts';
import { classNames } from '../ui/class-names.ts';
import { toShownLine } from '../ui/foreign-text.ts';

interface CompletionListProps {
  readonly id: string;
  readonly kind: 'command' | 'file';
  readonly choices: readonly string[];
  readonly active: number;
  readonly onChoose: (choice: string) => void;
}

export function CompletionList({ id, kind, choices, active, onChoose }: CompletionListProps) {
  const { t } = useTranslation();
  const Icon = kind === 'command' ? SquareSlash : FileText;
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t(kind === 'command' ? 'composer.commands' : 'composer.files')}
      className="pop-in absolute inset-x-0 bottom-full z-20 mb-2 max-h-72 overflow-auto rounded-lg bg-raised p-1 shadow-raised"
    >
      {choices.map((choice, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are pressed in the text
        <div
          key={choice}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          tabIndex={-1}
          // The focus stays in the text.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(choice)}
          className={classNames(
            'flex h-8 cursor-pointer items-center gap-2 rounded-md px-2',
            index === active && 'bg-hover',
          )}
        >
          <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
          <span
            className={classNames(
              'min-w-0 truncate',
              kind === 'command' ? 'font-medium' : 'font-mono text-sm',
            )}
          >
            {kind === 'command' ? `/${choice}` : toShownLine(choice)}
          </span>
          {kind === 'command' ? (
            <span className="min-w-0 truncate text-ink-faint">{t(`command.${choice as CommandName}`)}</span>
          ) : undefined}
        </div>
      ))}
    </div>
  );
}

type CommandName = keyof typeof en.command;

export function optionId(id: string, index: number): string {
  return `${id}-${index}`;
}
