/**
 * An action that needs approval: exactly what would be done, and how far an approval reaches. Denying is always possible, with
 * room for a reason.
 */
import type { ApprovalDecision, ApprovalReach, ApprovalResponse } from '@crewagent/protocol/approvals';
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import { parseObject, textOf } from '@crewagent/protocol/json-object';
import type { ItemOf, TimelineItem } from '@crewagent/protocol/timeline';
import { Download, ShieldQuestion, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { saveBlob } from '../../api/save-response.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { DiffStat } from '../../ui/code/diff-stat.tsx';
import { DiffView } from '../../ui/code/diff-view.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { toShownLine, toShownProse } from '../../ui/sanitize-text.ts';
import { toShownName } from '../approval-reach.ts';
import { writtenOf } from '../timeline/describe-tool.ts';
import { ActionFacts, AllowButton, toLongerApprovals, ViewProgress } from './allow-button.tsx';
import { ALLOW_KEYS, DENY_KEYS, Dock, NoteAndDeny, toAriaKeys, useSentOnce } from './dock.tsx';
import { toSeen, toSha256, unseenOf, usePreviews } from './preview.ts';

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

interface GoBackDockProps {
  readonly item: ItemOf<'approval'>;
  readonly onApprove: (callId: string, response: ApprovalResponse) => Promise<void>;
}

/** The model asks to take the run back to an earlier step: what that means, and why. */
export function GoBackDock({ item: { callId, action }, onApprove }: GoBackDockProps) {
  const { t } = useTranslation();
  const [note, setNote] = useState('');
  const { isSending, issue, send } = useSentOnce();
  const { text } = action.preview;
  const { title, reason } = parseObject(text) ?? {};
  const say = (decision: ApprovalDecision): void =>
    send(async () =>
      onApprove(callId, {
        decision,
        ...(note.trim() === '' ? {} : { note: note.trim() }),
        ...(decision === 'no' ? {} : { shown: await toSha256(text) }),
      }),
    );
  const [allow, deny] = [() => say('once'), () => say('no')];
  return (
    <Dock
      icon={<Undo2 />}
      title={t('approval.titleOfGoBack', { node: toShownLine(textOf(title) || action.target) })}
      issue={issue}
      keys={{ [ALLOW_KEYS]: allow, [DENY_KEYS]: deny }}
      asked={action}
      footer={
        <>
          <NoteAndDeny
            note={note}
            onNote={setNote}
            label={t('approval.goBackNo')}
            isDisabled={isSending}
            onDeny={deny}
          />
          <Button
            kind="primary"
            isBusy={isSending}
            aria-keyshortcuts={toAriaKeys(ALLOW_KEYS)}
            onClick={allow}
          >
            {t('approval.goBackYes')}
            <Kbd keys={ALLOW_KEYS} isOnButton />
          </Button>
        </>
      }
    >
      <p className="mb-2 whitespace-pre-wrap wrap-anywhere">{toShownProse(textOf(reason) ?? '')}</p>
      <p className="text-sm text-ink-faint">{t('approval.goBack')}</p>
    </Dock>
  );
}

interface CutNoteProps {
  readonly call: TimelineItem | undefined;
  readonly target: string;
}

/** That a preview does not contain everything, and the download of what the call wants to write. */
function CutNote({ call, target }: CutNoteProps) {
  const { t } = useTranslation();
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-warn">
      {t('approval.cut')}
      {call?.kind === 'tool' ? (
        <Button
          size="sm"
          icon={<Download className="size-3.5" />}
          onClick={() => saveBlob(new Blob([writtenOf(call) ?? call.arguments]), toFileName(target))}
        >
          {t('approval.download')}
        </Button>
      ) : undefined}
    </span>
  );
}

/** A name that no folder is chosen by. */
function toFileName(target: string): string {
  return (
    target
      .split('/')
      .at(-1)
      ?.replace(/[^\p{L}\p{N}._-]+/gu, '_') || 'change.txt'
  );
}
