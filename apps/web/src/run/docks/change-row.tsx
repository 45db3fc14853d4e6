/** One of several changes that need approval: its file, its diff, and the decision on it. */
import type { FollowingDecision } from '@crewagent/protocol/approvals';
import { Check, ChevronRight, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';
import { LineStat } from '../../ui/code/diff-stat.tsx';
import { DiffView } from '../../ui/code/diff-view.tsx';
import { toShownName } from '../approval-reach.ts';
import { ActionFacts } from './action-facts.tsx';
import { type Preview, unseenOf } from './preview.ts';

interface ChangeRowProps {
  readonly change: Preview;
  readonly decision: FollowingDecision['decision'] | undefined;
  readonly isOpen: boolean;
  readonly isDisabled: boolean;
  readonly onToggle: () => void;
  readonly onDecide: (decision: FollowingDecision['decision']) => void;
}

export function ChangeRow(props: ChangeRowProps) {
  const { change, decision, isOpen, isDisabled, onToggle, onDecide } = props;
  const { diff, isNew, action } = change;
  const path = toShownName(action.target);
  const unseen = unseenOf(change);
  const { t } = useTranslation();
  const id = useId();
  return (
    <li className="py-0.5">
      <div className="flex items-center gap-1 rounded-md hover:bg-hover">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={onToggle}
          className="flex min-h-8 min-w-0 grow items-center gap-2 rounded-md px-1.5 text-start -outline-offset-2"
        >
          <ChevronRight
                        className={classNames('size-3.5 shrink-0 text-ink-faint', isOpen && 'rotate-90')}
          />
          <bdi
            title={path}
            className={classNames(
              // Cut at its beginning where there is little room: the name says which file it is.
              'min-w-0 truncate font-mono text-sm [direction:rtl]',
              decision === 'no' && 'text-ink-faint line-through',
            )}
          >
            <bdi dir="ltr">{path}</bdi>
          </bdi>
          <span className="shrink-0 text-xs text-ink-faint max-sm:sr-only">
            {t(isNew ? 'approval.kind.created' : 'approval.kind.changed')}
          </span>
          <LineStat {...diff} />
        </button>
        <DecisionButton
          label={t('approval.no')}
          name={t('approval.denyNamed', { path })}
          icon={<X className="size-3.5" />}
          isChosen={decision === 'no'}
          look="bg-bad-soft text-bad"
          isDisabled={isDisabled}
          onChoose={() => onDecide('no')}
        />
        <DecisionButton
          label={t(unseen === 0 ? 'approval.allow' : 'approval.allowUnseen')}
          name={
            unseen === 0
              ? t('approval.allowNamed', { path })
              : t('approval.allowNamedUnseen', { path, count: unseen, lines: formatNumber(unseen) })
          }
          icon={<Check className="size-3.5" />}
          isChosen={decision === 'once'}
          look="bg-ok-soft text-ok"
          isDisabled={isDisabled}
          onChoose={() => onDecide('once')}
        />
      </div>
      {isOpen ? (
        <div id={id} className="mt-1 mb-2 px-1.5">
          <ActionFacts item={change} />
          <DiffView diff={diff} label={t('approval.diffOf', { path })} viewing={change} />
        </div>
      ) : undefined}
    </li>
  );
}

interface DecisionButtonProps {
  readonly label: string;
  /** Accessible name, with the file. */
  readonly name: string;
  readonly icon: ReactNode;
  readonly isChosen: boolean;
  readonly look: string;
  readonly isDisabled: boolean;
  readonly onChoose: () => void;
}

function DecisionButton({ label, name, icon, isChosen, look, isDisabled, onChoose }: DecisionButtonProps) {
  return (
    <button
      type="button"
      aria-label={name}
      title={label}
      aria-pressed={isChosen}
      disabled={isDisabled}
      onClick={onChoose}
      className={classNames(
        'inline-flex h-6.5 shrink-0 items-center gap-1 rounded-md px-1.5 text-sm font-medium disabled:opacity-55',
        isChosen ? look : 'text-ink-soft enabled:hover:bg-pressed enabled:hover:text-ink',
      )}
    >
      {icon}
      <span className="max-sm:hidden">{label}</span>
    </button>
  );
}
