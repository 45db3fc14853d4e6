/** One of several changes that need approval: its file, its diff, and the decision on it. */
import type { FollowingDecision } from '@crewagent/protocol/approvals';
import type { FollowingChange } from '@crewagent/protocol/tools';
import { Check, ChevronRight, X } from 'lucide-react';
import { type ReactNode, useCallback, useId } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';
import { LineStat } from '../../ui/code/diff-stat.tsx';
import { DiffView } from '../../ui/code/diff-view.tsx';
import { type Diff, parseDiff } from '../../ui/code/parse-diff.ts';
import { toShownPath } from '../approval-reach.ts';

export interface ProposedChange {
  readonly callId: string;
  readonly path: string;
  readonly diff: Diff;
  readonly isNew: boolean;
}

export function toProposedChange({
  callId,
  action,
}: Pick<FollowingChange, 'callId' | 'action'>): ProposedChange {
  const { text } = action.preview;
  return {
    callId,
    path: toShownPath(action.target),
    diff: parseDiff(text),
    isNew: /^--- \/dev\/null$/m.test(text.split('\n@@ ', 1)[0] ?? ''),
  };
}

interface ChangeRowProps {
  readonly change: ProposedChange;
  readonly decision: FollowingDecision['decision'] | undefined;
  readonly isOpen: boolean;
  readonly isDisabled: boolean;
  readonly onToggle: () => void;
  readonly onDecide: (decision: FollowingDecision['decision']) => void;
  /** Called with the number of lines that its diff does not show yet. */
  readonly onHidden: (lines: number) => void;
}

export function ChangeRow(props: ChangeRowProps) {
  const { change, decision, isOpen, isDisabled, onToggle, onDecide, onHidden } = props;
  const { path, diff, isNew } = change;
  const { t } = useTranslation();
  const id = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it only sets a state
  const report = useCallback(onHidden, []);
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
            aria-hidden="true"
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
          icon={<X aria-hidden="true" className="size-3.5" />}
          isChosen={decision === 'no'}
          look="bg-bad-soft text-bad"
          isDisabled={isDisabled}
          onChoose={() => onDecide('no')}
        />
        <DecisionButton
          label={t('approval.allow')}
          name={t('approval.allowNamed', { path })}
          icon={<Check aria-hidden="true" className="size-3.5" />}
          isChosen={decision === 'once'}
          look="bg-ok-soft text-ok"
          isDisabled={isDisabled}
          onChoose={() => onDecide('once')}
        />
      </div>
      {isOpen ? (
        <div id={id} className="mt-1 mb-2 px-1.5">
          <DiffView diff={diff} label={t('approval.diffOf', { path })} onHidden={report} />
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
