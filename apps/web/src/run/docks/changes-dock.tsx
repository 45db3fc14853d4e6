/**
 * Several file changes of one reply that need approval: one list, with a decision for each or for all. Nothing is sent before
 * every change is decided on.
 */
import type {
  ApprovalDecision,
  ApprovalReach,
  ApprovalResponse,
  FollowingDecision,
} from '@crewagent/protocol/approvals';
import { Check, ChevronRight, ShieldQuestion, X } from 'lucide-react';
import { useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';
import { LineStat } from '../../ui/code/diff-stat.tsx';
import { DiffView } from '../../ui/code/diff-view.tsx';
import { toShownName } from '../approval-reach.ts';
import { useOpenRowsState } from '../open-rows.ts';
import { ActionFacts } from './action-facts.tsx';
import type { ApprovalDockProps } from './approval-dock.tsx';
import { DecisionDock, sum, toLongerApprovals, useDecision } from './decision-dock.tsx';
import { type Preview, toSeen, unseenOf, usePreviews } from './preview.ts';

export function ChangesDock({ item, isThread, onApprove }: ApprovalDockProps) {
  const { t } = useTranslation();
  const { previews, hasToBeViewed } = usePreviews([item, ...(item.following ?? [])]);
  const { isOpen, toggle } = useOpenRowsState(() => firstOpened(previews));
  const decision = useDecision(item.callId, onApprove);
  const decisions = useChangeDecisions(previews, decision.send);
  const hasDecided = previews.some((preview) => decisions.of(preview) !== undefined);
  const allowed = previews.filter((preview) => decisions.of(preview) !== 'no');
  const showNext = (): void => {
    const next = allowed.find(({ sight }) => sight.unseen() > 0);
    if (!next) return;
    if (!isOpen(next.callId)) flushSync(() => toggle(next.callId));
    next.goTo.current?.(next.sight.firstUnseen() ?? 0);
  };
  return (
    <DecisionDock
      icon={<ShieldQuestion />}
      title={t('approval.titleOfSeveral', { count: previews.length })}
      aside={
        <LineStat
          added={sum(previews.map(({ diff }) => diff.added))}
          removed={sum(previews.map(({ diff }) => diff.removed))}
        />
      }
      asked={previews}
      decision={decision}
      denyLabel={t(hasDecided ? 'approval.denyRest' : 'approval.denyAll')}
      allowLabel={t(hasDecided ? 'approval.allowRest' : 'approval.allowAll')}
      allowed={allowed}
      linesToView={hasToBeViewed ? sum(previews.map(({ sight }) => sight.rows)) : undefined}
      cut={allowed.some(({ isCut }) => isCut) ? t('approval.cut') : undefined}
      longer={hasDecided ? [] : toLongerApprovals(t, { item, isThread, onChoose: decisions.allowForLonger })}
      onDeny={() => decisions.decideRest('no')}
      onAllow={() => decisions.decideRest('once')}
      onNext={showNext}
    >
      <ul className="-mx-1.5 flex flex-col">
        {previews.map((preview) => (
          <ChangeRow
            key={preview.callId}
            change={preview}
            decision={decisions.of(preview)}
            isOpen={isOpen(preview.callId)}
            isDisabled={decision.isSending}
            onToggle={() => toggle(preview.callId)}
            onDecide={(said) => decisions.decide(preview, said)}
          />
        ))}
      </ul>
    </DecisionDock>
  );
}

/** Short diffs are open from the start; the first one always is. */
function firstOpened(changes: readonly Preview[]): readonly string[] {
  let lines = 0;
  const opened = changes.filter(({ diff }, index) => {
    lines += diff.lines.length;
    return index === 0 || lines <= LINES_AT_ONCE;
  });
  return opened.map(({ callId }) => callId);
}

const LINES_AT_ONCE = 16;

interface ChangeRowProps {
  readonly change: Preview;
  readonly decision: RowDecision | undefined;
  readonly isOpen: boolean;
  readonly isDisabled: boolean;
  readonly onToggle: () => void;
  readonly onDecide: (decision: RowDecision) => void;
}

/** One of several changes that need approval: its file, its diff, and the decision on it. */
function ChangeRow(props: ChangeRowProps) {
  const { change, decision, isOpen, isDisabled, onToggle, onDecide } = props;
  const { diff, isNew, action } = change;
  const path = toShownName(action.target);
  const unseen = unseenOf(change);
  const { t } = useTranslation();
  const id = useId();
  const choices = [
    {
      value: 'no',
      Icon: X,
      look: 'bg-bad-soft text-bad',
      label: t('approval.no'),
      name: t('approval.denyNamed', { path }),
    },
    {
      value: 'once',
      Icon: Check,
      look: 'bg-ok-soft text-ok',
      label: t(unseen === 0 ? 'approval.allow' : 'approval.allowUnseen'),
      name:
        unseen === 0
          ? t('approval.allowNamed', { path })
          : t('approval.allowNamedUnseen', { path, count: unseen, lines: formatNumber(unseen) }),
    },
  ] as const;
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
          <ChevronRight className={classNames('size-3.5 shrink-0 text-ink-faint', isOpen && 'rotate-90')} />
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
        {choices.map(({ value, Icon, look, label, name }) => (
          <button
            key={value}
            type="button"
            aria-label={name}
            title={label}
            aria-pressed={decision === value}
            disabled={isDisabled}
            onClick={() => onDecide(value)}
            className={classNames(
              'inline-flex h-6.5 shrink-0 items-center gap-1 rounded-md px-1.5 text-sm font-medium disabled:opacity-55',
              decision === value ? look : 'text-ink-soft enabled:hover:bg-pressed enabled:hover:text-ink',
            )}
          >
            <Icon className="size-3.5" />
            <span className="max-sm:hidden">{label}</span>
          </button>
        ))}
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

type RowDecision = FollowingDecision['decision'];
/** A decision is on what was shown: for another preview of the same call it does not count. */
type Decisions = ReadonlyMap<Preview, RowDecision>;

/** Decisions on several changes of one reply. Nothing is sent before every change is decided on. */
function useChangeDecisions(
  previews: readonly Preview[],
  send: (toResponse: () => Promise<ApprovalResponse>) => void,
) {
  const [decisions, setDecisions] = useState<Decisions>(new Map());
  const submit = (all: Decisions): void =>
    send(() => toResponse(previews, (previews[0] && all.get(previews[0])) ?? 'no', all));
  return {
    of: (preview: Preview) => decisions.get(preview),
    /** The same decision again takes it back. */
    decide: (preview: Preview, decision: RowDecision): void => {
      const next = new Map(decisions);
      if (next.get(preview) === decision) next.delete(preview);
      else next.set(preview, decision);
      setDecisions(next);
      if (previews.every((one) => next.has(one))) submit(next);
    },
    decideRest: (decision: RowDecision): void =>
      submit(new Map(previews.map((preview) => [preview, decisions.get(preview) ?? decision]))),
    allowForLonger: (decision: ApprovalDecision, reach: ApprovalReach): void =>
      send(async () => ({ ...(await toResponse(previews, decision, new Map())), reach })),
  };
}

/** The first change is the one that is asked for; the others are decided on ahead. */
async function toResponse(
  [first, ...others]: readonly Preview[],
  decision: ApprovalDecision,
  all: Decisions,
): Promise<ApprovalResponse> {
  const seenOf = async (preview: Preview | undefined, said: ApprovalDecision) =>
    preview && said !== 'no' ? await toSeen(preview) : {};
  const following = others.map(async (preview): Promise<FollowingDecision[]> => {
    const said = all.get(preview);
    return said === undefined
      ? []
      : [{ callId: preview.callId, decision: said, ...(await seenOf(preview, said)) }];
  });
  return {
    decision,
    ...(await seenOf(first, decision)),
    following: (await Promise.all(following)).flat(),
  };
}
