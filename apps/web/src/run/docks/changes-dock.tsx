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
import type { ItemOf } from '@crewagent/protocol/timeline';
import { Check, ChevronRight, ShieldQuestion, X } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';
import { LineStat } from '../../ui/code/diff-stat.tsx';
import { DiffView } from '../../ui/code/diff-view.tsx';
import { toShownName } from '../approval-reach.ts';
import { ActionFacts, AllowButton, toLongerApprovals, ViewProgress } from './allow-button.tsx';
import { ALLOW_KEYS, DENY_KEYS, Dock, NoteAndDeny, useSentOnce } from './dock.tsx';
import { type Preview, toSeen, unseenOf, usePreviews } from './preview.ts';

interface ChangesDockProps {
  readonly item: ItemOf<'approval'>;
  /** Outside a workflow: there is no step and no run to approve for. */
  readonly isThread: boolean;
  readonly onApprove: (callId: string, response: ApprovalResponse) => Promise<void>;
}

export function ChangesDock({ item, isThread, onApprove }: ChangesDockProps) {
  const { t } = useTranslation();
  const { previews, hasToBeViewed } = usePreviews([item, ...(item.following ?? [])]);
  const [note, setNote] = useState('');
  const { isOpen, open, toggle } = useOpenRows(previews);
  const { isSending, issue, send } = useSentOnce();
  const decisions = useChangeDecisions(previews, (toResponse) =>
    send(async () =>
      onApprove(item.callId, {
        ...(await toResponse()),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
      }),
    ),
  );
  const hasDecided = previews.some((preview) => decisions.of(preview) !== undefined);
  const wanted = previews.filter((preview) => decisions.of(preview) !== 'no');
  const unseen = sum(wanted.map(unseenOf));
  const allow = (): void => decisions.decideRest('once');
  const deny = (): void => decisions.decideRest('no');
  const showNext = (): void => {
    const next = wanted.find(({ sight }) => sight.unseen() > 0);
    if (!next) return;
    flushSync(() => open(next.callId));
    next.goTo.current?.(next.sight.firstUnseen() ?? 0);
  };
  const allowLabel = t(hasDecided ? 'approval.allowRest' : 'approval.allowAll');
  const hasKey = unseen === 0 && !wanted.some(({ needsPress }) => needsPress);
  return (
    <Dock
      icon={<ShieldQuestion />}
      title={t('approval.titleOfSeveral', { count: previews.length })}
      aside={<LineStat {...totalsOf(previews)} />}
      issue={issue}
      keys={{ [ALLOW_KEYS]: hasKey ? allow : undefined, [DENY_KEYS]: deny }}
      asked={previews}
      progress={
        hasToBeViewed ? (
          <ViewProgress
            unseen={sum(wanted.map(({ sight }) => sight.unseen()))}
            lines={sum(wanted.map(({ sight }) => sight.rows))}
            onNext={showNext}
            cut={wanted.some(({ isCut }) => isCut) ? t('approval.cut') : undefined}
          />
        ) : undefined
      }
      footer={
        <>
          <NoteAndDeny
            note={note}
            onNote={setNote}
            label={t(hasDecided ? 'approval.denyRest' : 'approval.denyAll')}
            isDisabled={isSending}
            onDeny={deny}
          />
          <AllowButton
            label={allowLabel}
            unseenLabel={allowLabel}
            unseen={unseen}
            isCut={wanted.some(({ isCut }) => isCut)}
            lines={sum(previews.map(({ sight }) => sight.rows))}
            hasToBeViewed={hasToBeViewed}
            isBusy={isSending}
            hasKey={hasKey}
            onAllow={allow}
            longer={
              hasDecided ? [] : toLongerApprovals(t, { item, isThread, onChoose: decisions.allowForLonger })
            }
          />
        </>
      }
    >
      <ul className="-mx-1.5 flex flex-col">
        {previews.map((preview) => (
          <ChangeRow
            key={preview.callId}
            change={preview}
            decision={decisions.of(preview)}
            isOpen={isOpen(preview.callId)}
            isDisabled={isSending}
            onToggle={() => toggle(preview.callId)}
            onDecide={(decision) => decisions.decide(preview, decision)}
          />
        ))}
      </ul>
    </Dock>
  );
}

function useOpenRows(changes: readonly Preview[]) {
  const [openIds, setOpenIds] = useState(() => firstOpened(changes));
  const isOpen = (callId: string): boolean => openIds.includes(callId);
  return {
    isOpen,
    open: (callId: string): void => {
      if (!isOpen(callId)) setOpenIds([...openIds, callId]);
    },
    toggle: (callId: string): void =>
      setOpenIds(isOpen(callId) ? openIds.filter((id) => id !== callId) : [...openIds, callId]),
  };
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

function totalsOf(changes: readonly Preview[]): { readonly added: number; readonly removed: number } {
  return {
    added: sum(changes.map(({ diff }) => diff.added)),
    removed: sum(changes.map(({ diff }) => diff.removed)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

interface ChangeRowProps {
  readonly change: Preview;
  readonly decision: FollowingDecision['decision'] | undefined;
  readonly isOpen: boolean;
  readonly isDisabled: boolean;
  readonly onToggle: () => void;
  readonly onDecide: (decision: FollowingDecision['decision']) => void;
}

/** One of several changes that need approval: its file, its diff, and the decision on it. */
function ChangeRow(props: ChangeRowProps) {
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

type RowDecision = FollowingDecision['decision'];
/** A decision is on what was shown: for another preview of the same call it does not count. */
type Decisions = ReadonlyMap<Preview, RowDecision>;

interface ChangeDecisions {
  readonly of: (preview: Preview) => RowDecision | undefined;
  /** The same decision again takes it back. */
  readonly decide: (preview: Preview, decision: RowDecision) => void;
  readonly decideRest: (decision: RowDecision) => void;
  readonly allowForLonger: (decision: ApprovalDecision, reach: ApprovalReach) => void;
}

/** Decisions on several changes of one reply. Nothing is sent before every change is decided on. */
function useChangeDecisions(
  previews: readonly Preview[],
  send: (toResponse: () => Promise<ApprovalResponse>) => void,
): ChangeDecisions {
  const [decisions, setDecisions] = useState<Decisions>(new Map());
  const submit = (all: Decisions): void =>
    send(() => toResponse(previews, (previews[0] && all.get(previews[0])) ?? 'no', all));
  return {
    of: (preview) => decisions.get(preview),
    decide: (preview, decision) => {
      const next = new Map(decisions);
      if (next.get(preview) === decision) next.delete(preview);
      else next.set(preview, decision);
      setDecisions(next);
      if (previews.every((one) => next.has(one))) submit(next);
    },
    decideRest: (decision) =>
      submit(new Map(previews.map((preview) => [preview, decisions.get(preview) ?? decision]))),
    allowForLonger: (decision, reach) =>
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
