/** Agent, workflow or chat: native radio buttons, styled as cards. */
import { MessageSquareText, UserRound, Workflow } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';

export const KINDS = ['agent', 'workflow', 'chat'] as const;
export type Kind = (typeof KINDS)[number];

interface KindChoiceProps {
  readonly kind: Kind;
  readonly onChange: (kind: Kind) => void;
}

export function KindChoice({ kind, onChange }: KindChoiceProps) {
  const { t } = useTranslation();
  const name = useId();
  return (
    <div role="radiogroup" aria-label={t('new.kind')} className="grid gap-2 sm:grid-cols-3">
      {KINDS.map((value) => {
        const Icon = ICONS[value];
        return (
          <label
            key={value}
            className={classNames(
              'flex cursor-pointer gap-3 rounded-lg border px-3.5 py-3 transition-colors duration-(--quick)',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-text',
              value === kind
                ? 'border-accent-text bg-accent-soft'
                : 'bg-surface hover:border-line-strong hover:bg-hover',
            )}
          >
            <input
              type="radio"
              name={name}
              checked={value === kind}
              onChange={() => onChange(value)}
              className="sr-only"
            />
            <Icon
              className={classNames(
                'mt-0.5 size-4 shrink-0',
                value === kind ? 'text-accent-text' : 'text-ink-faint',
              )}
            />
            <span className="min-w-0">
              <span className="block font-medium">{t(`works.kinds.${value}`)}</span>
              <span className="block text-sm text-ink-soft">{t(`new.kindText.${value}`)}</span>
            </span>
          </label>
        );
      })}
    </div>
  );
}

const ICONS = { agent: UserRound, workflow: Workflow, chat: MessageSquareText } as const;
