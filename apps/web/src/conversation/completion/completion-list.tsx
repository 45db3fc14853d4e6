/** Completions above the composer. The focus stays in the text field, which refers to the active option for screen readers. */
import { FileText, Folder, SquareSlash } from 'lucide-react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { toShortPath } from './completion.ts';
import type { CommandName } from './fitting-commands.ts';

interface CompletionListProps {
  readonly id: string;
  readonly kind: 'command' | 'file';
  readonly choices: readonly string[];
  /** New completions are loading: the listed ones cannot be chosen with the keyboard. */
  readonly isBusy: boolean;
  readonly active: number;
  readonly onChoose: (choice: string) => void;
}

export function CompletionList({ id, kind, choices, isBusy, active, onChoose }: CompletionListProps) {
  const { t } = useTranslation();
  return (
    <div
      id={id}
      role="listbox"
      aria-busy={isBusy || undefined}
      aria-label={t(kind === 'command' ? 'palette.title' : 'rail.files')}
      className="pop-in absolute inset-x-0 bottom-full z-20 mb-2 max-h-72 overflow-auto rounded-lg bg-raised p-1 shadow-raised"
    >
      {choices.map((choice, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the text field
        <div
          key={choice}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          tabIndex={-1}
          // Keeps the focus in the text field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(choice)}
          className={classNames(
            'flex h-8 cursor-pointer items-center gap-2 rounded-md px-2',
            index === active && 'bg-hover',
          )}
        >
          <ChoiceIcon kind={kind} choice={choice} />
          <span
            className={classNames(
              'min-w-0 truncate',
              kind === 'command' ? 'font-medium' : 'font-mono text-sm',
            )}
          >
            {kind === 'command' ? `/${choice}` : <FilePath path={toShortPath(choice)} />}
          </span>
          <Hint kind={kind} choice={choice} />
        </div>
      ))}
    </div>
  );
}

/** Description of a command or a mount. */
function Hint({ kind, choice }: { readonly kind: 'command' | 'file'; readonly choice: string }) {
  const { t } = useTranslation();
  const hint =
    kind === 'command'
      ? t(`command.${choice as CommandName}`)
      : choice === '@pkg/'
        ? t('composer.ofPackage')
        : choice === '@state/'
          ? t('composer.ofRun')
          : undefined;
  return hint === undefined ? undefined : <span className="min-w-0 truncate text-ink-faint">{hint}</span>;
}

function ChoiceIcon({ kind, choice }: { readonly kind: 'command' | 'file'; readonly choice: string }) {
  const Icon = kind === 'command' ? SquareSlash : choice.endsWith('/') ? Folder : FileText;
  return <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />;
}

/** The file name is prominent, its folder is not. */
function FilePath({ path }: { readonly path: string }) {
  const end = path.lastIndexOf('/', path.length - 2) + 1;
  return (
    <bdi>
      <span className="text-ink-faint">{toShownLine(path.slice(0, end))}</span>
      <span className="text-ink">{toShownLine(path.slice(end))}</span>
    </bdi>
  );
}
