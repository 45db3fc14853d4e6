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
import { ShieldQuestion } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { LineStat } from '../../ui/code/diff-stat.tsx';
import { AllowButton } from './allow-button.tsx';
import { ChangeRow, type ProposedChange, toProposedChange } from './change-row.tsx';
import { Dock } from './dock.tsx';
import { toLongerApprovals } from './longer-approvals.ts';
import { NoteAndDeny } from './note-and-deny.tsx';
import { ALLOW_KEYS, DENY_KEYS } from './use-dock-keys.ts';
import { useSentOnce } from './use-sent-once.ts';

interface ChangesDockProps {
  readonly item: ItemOf<'approval'>;
  /** Outside a workflow: there is no step and no run to approve for. */
  readonly isThread: boolean;
  readonly onApprove: (callId: string, response: ApprovalResponse) => Promise<void>;
}

type RowDecision = FollowingDecision['decision'];
type Decisions = Readonly<Record<string, RowDecision>>;

export function ChangesDock({ item, isThread, onApprove }: ChangesDockProps) {
  const { t } = useTranslation();
  const changes = useMemo(() => [item, ...(item.following ?? [])].map(toProposedChange), [item]);
  const [note, setNote] = useState('');
  const [decisions, setDecisions] = useState<Decisions>({});
  const { isOpen, toggle } = useOpenRows(changes);
  /** By call: lines behind "show more" of a diff that was opened. */
  const [hidden, setHidden] = useState<Readonly<Record<string, number>>>({});
  const { isSending, issue, send } = useSentOnce();
  const hasDecided = Object.keys(decisions).length > 0;
  const isViewed = ({ callId }: ProposedChange): boolean => hidden[callId] === 0;
  const unviewed = changes.filter((change) => !isViewed(change) && decisions[change.callId] !== 'no').length;

  const sendAll = (decision: ApprovalDecision, following: Decisions, reach?: ApprovalReach): void =>
    send(() =>
      onApprove(item.callId, {
        decision,
        ...(reach ? { reach } : {}),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
        following: Object.entries(following)
          .filter(([callId]) => callId !== item.callId)
          .map(([callId, ahead]) => ({ callId, decision: ahead })),
      }),
    );
  const submit = (all: Decisions): void => sendAll(all[item.callId] ?? 'no', all);
  const decide = (callId: string, decision: RowDecision): void => {
    const { [callId]: previous, ...others } = decisions;
    const next = previous === decision ? others : { ...decisions, [callId]: decision };
    setDecisions(next);
    if (changes.every((change) => next[change.callId] !== undefined)) submit(next);
  };
  const decideRest = (decision: RowDecision): void =>
    submit(Object.fromEntries(changes.map(({ callId }) => [callId, decisions[callId] ?? decision])));
  const allow = (): void => decideRest('once');
  const deny = (): void => decideRest('no');
  const isAllViewed = unviewed === 0;
  const allowLabel = t(hasDecided ? 'approval.allowRest' : 'approval.allowAll');
  return (
    <Dock
      icon={<ShieldQuestion aria-hidden="true" />}
      title={t('approval.titleOfSeveral', { count: changes.length })}
      aside={<LineStat {...totalsOf(changes)} />}
      issue={issue}
      keys={{ [ALLOW_KEYS]: isAllViewed ? allow : undefined, [DENY_KEYS]: deny }}
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
            label={isAllViewed ? allowLabel : t('approval.unviewed', { label: allowLabel, count: unviewed })}
            // What was not all viewed is not the obvious next action.
            kind={isAllViewed ? 'primary' : 'plain'}
            isBusy={isSending}
            hasKey={isAllViewed}
            onAllow={allow}
            longer={
              hasDecided
                ? []
                : toLongerApprovals(t, {
                    item,
                    isThread,
                    onChoose: (decision, reach) => sendAll(decision, {}, reach),
                  })
            }
          />
        </>
      }
    >
      <ul className="-mx-1.5 flex flex-col">
        {changes.map((change) => {
          const { callId } = change;
          return (
            <ChangeRow
              key={callId}
              change={change}
              decision={decisions[callId]}
              isOpen={isOpen(callId)}
              isDisabled={isSending}
              onToggle={() => toggle(callId)}
              onDecide={(decision) => decide(callId, decision)}
              onHidden={(lines) => setHidden((before) => ({ ...before, [callId]: lines }))}
            />
          );
        })}
      </ul>
    </Dock>
  );
}

function useOpenRows(changes: readonly ProposedChange[]) {
  const [openIds, setOpenIds] = useState(() => firstOpened(changes));
  const isOpen = (callId: string): boolean => openIds.includes(callId);
  return {
    isOpen,
    toggle: (callId: string): void =>
      setOpenIds(isOpen(callId) ? openIds.filter((id) => id !== callId) : [...openIds, callId]),
  };
}

/** Short diffs are open from the start; the first one always is. */
function firstOpened(changes: readonly ProposedChange[]): readonly string[] {
  let lines = 0;
  const opened = changes.filter(({ diff }, index) => {
    lines += diff.lines.length;
    return index === 0 || lines <= LINES_AT_ONCE;
  });
  return opened.map(({ callId }) => callId);
}

const LINES_AT_ONCE = 16;

function totalsOf(changes: readonly ProposedChange[]): { readonly added: number; readonly removed: number } {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
  return {
    added: sum(changes.map(({ diff }) => diff.added)),
    removed: sum(changes.map(({ diff }) => diff.removed)),
  };
}
