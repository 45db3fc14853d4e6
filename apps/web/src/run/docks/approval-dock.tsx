/**
 * An action that needs approval: exactly what would be done, and how far an approval reaches. Denying is always possible, with
 * room for a reason.
 */
import type { ApprovalDecision, ApprovalReach, ApprovalResponse } from '@crewagent/protocol/approvals';
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import type { ItemOf, TimelineItem } from '@crewagent/protocol/timeline';
import { ShieldQuestion } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { DiffStat } from '../../ui/code/diff-stat.tsx';
import { DiffView } from '../../ui/code/diff-view.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { toShownName } from '../approval-reach.ts';
import { ActionFacts } from './action-facts.tsx';
import { AllowButton } from './allow-button.tsx';
import { CutNote } from './cut-note.tsx';
import { Dock } from './dock.tsx';
import { toLongerApprovals } from './longer-approvals.ts';
import { NoteAndDeny } from './note-and-deny.tsx';
import { toSeen, unseenOf, usePreviews } from './preview.ts';
import { ALLOW_KEYS, DENY_KEYS } from './use-dock-keys.ts';
import { useSentOnce } from './use-sent-once.ts';
import { ViewProgress } from './view-progress.tsx';

interface ApprovalDockProps {
  readonly item: ItemOf<'approval'>;
  /** Outside a workflow: there is no step and no run to approve for. */
  readonly isThread: boolean;
  /** The call that asks, with all that it wants to write. */
  readonly call: TimelineItem | undefined;
  readonly onApprove: (callId: string, response: ApprovalResponse) => Promise<void>;
}

export function ApprovalDock({ item, isThread, call, onApprove }: ApprovalDockProps) {
  const { t } = useTranslation();
  const [note, setNote] = useState('');
  const { previews, hasToBeViewed } = usePreviews([item]);
  const [preview] = previews;
  const { isSending, issue, send } = useSentOnce();
  if (!preview) return undefined;
  const { action } = item;
  const { diff, isCut, isNew, sight } = preview;
  const isFile = isFileAction(action);
  const say = (decision: ApprovalDecision, reach?: ApprovalReach): void =>
    send(async () =>
      onApprove(item.callId, {
        decision,
        ...(reach ? { reach } : {}),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
        ...(decision === 'no' ? {} : await toSeen(preview)),
      }),
    );
  const unseen = unseenOf(preview);
  const allow = (): void => say('once');
  const deny = (): void => say('no');
  const hasAllowKey = unseen === 0 && !preview.needsPress;
  return (
    <Dock
      icon={<ShieldQuestion />}
      title={t(isFile ? 'approval.title' : 'approval.titleOfAction')}
      aside={isFile ? <DiffStat diff={diff} /> : undefined}
      issue={issue}
      keys={{ [ALLOW_KEYS]: hasAllowKey ? allow : undefined, [DENY_KEYS]: deny }}
      asked={previews}
      progress={
        hasToBeViewed ? (
          <ViewProgress
            unseen={sight.unseen()}
            lines={sight.rows}
            onNext={() => preview.goTo.current?.(sight.firstUnseen() ?? 0)}
            cut={isCut ? <CutNote call={call} target={action.target} /> : undefined}
          />
        ) : undefined
      }
      footer={
        <>
          <NoteAndDeny
            note={note}
            onNote={setNote}
            label={t('approval.no')}
            isDisabled={isSending}
            onDeny={deny}
          />
          <AllowButton
            label={t('approval.once')}
            unseenLabel={t('approval.allow')}
            unseen={unseen}
            isCut={isCut}
            lines={sight.rows}
            hasToBeViewed={hasToBeViewed}
            isBusy={isSending}
            hasKey={hasAllowKey}
            onAllow={allow}
            longer={isOnceOnly(item) ? [] : toLongerApprovals(t, { item, isThread, onChoose: say })}
          />
        </>
      }
    >
      <p className="mb-2 wrap-anywhere">
        {isFile ? t(isNew ? 'approval.wantsNew' : 'approval.wants') : `${toShownLine(action.title)} ·`}{' '}
        <bdi className="font-mono text-sm font-medium">{toShownName(action.target)}</bdi>
      </p>
      <ActionFacts item={item} />
      <DiffView diff={diff} label={t(isFile ? 'approval.diff' : 'approval.arguments')} viewing={preview} />
    </Dock>
  );
}
