/**
 * Several file changes of one reply that need approval: one list, with a decision for each or for all. Nothing is sent before
 * every change is decided on.
 */
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import type { ItemOf } from '@crewagent/protocol/timeline';
import { ShieldQuestion } from 'lucide-react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from '../../i18n/use-translation.ts';
import { LineStat } from '../../ui/code/diff-stat.tsx';
import { AllowButton } from './allow-button.tsx';
import { ChangeRow } from './change-row.tsx';
import { Dock } from './dock.tsx';
import { toLongerApprovals } from './longer-approvals.ts';
import { NoteAndDeny } from './note-and-deny.tsx';
import { type Preview, unseenOf, usePreviews } from './preview.ts';
import { useChangeDecisions } from './use-change-decisions.ts';
import { ALLOW_KEYS, DENY_KEYS } from './use-dock-keys.ts';
import { useSentOnce } from './use-sent-once.ts';
import { ViewProgress } from './view-progress.tsx';

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
