/**
 * An action that needs approval: exactly what would be done, and how far an approval reaches. Denying is always possible, with
 * room for a reason.
 */
import type { ApprovalDecision, ApprovalReach, ApprovalResponse } from '@crewagent/protocol/approvals';
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import { toReadableJson } from '@crewagent/protocol/json-text';
import type { ItemOf, TimelineItem } from '@crewagent/protocol/timeline';
import { Download, ShieldQuestion, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { saveBlob } from '../../api/save-response.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { DiffStat } from '../../ui/code/diff-stat.tsx';
import { DiffView } from '../../ui/code/diff-view.tsx';
import { parseDiff, toPlainLines } from '../../ui/code/parse-diff.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { toShownPath } from '../approval-reach.ts';
import { writtenOf } from '../timeline/describe-tool.ts';
import { AllowButton } from './allow-button.tsx';
import { toProposedChange } from './change-row.tsx';
import { Dock } from './dock.tsx';
import { toLongerApprovals } from './longer-approvals.ts';
import { NoteAndDeny } from './note-and-deny.tsx';
import { ALLOW_KEYS, DENY_KEYS } from './use-dock-keys.ts';
import { useSentOnce } from './use-sent-once.ts';

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
  const [hidden, setHidden] = useState(0);
  const { isSending, issue, send } = useSentOnce();
  const { action } = item;
  const isFile = isFileAction(action);
  const { text } = action.preview;
  const diff = isFile ? parseDiff(text) : toPlainLines(toReadableJson(text));
  const say = (decision: ApprovalDecision, reach?: ApprovalReach): void =>
    send(() =>
      onApprove(item.callId, {
        decision,
        ...(reach ? { reach } : {}),
        ...(note.trim() === '' ? {} : { note: note.trim() }),
      }),
    );
  const once =
    hidden > 0
      ? t('approval.onceUnseen', { count: hidden })
      : t(diff.isPartial ? 'approval.onceCut' : 'approval.once');
  // What was not all seen is not the obvious next thing.
  const isAllSeen = hidden === 0 && !diff.isPartial;
  const kind = isAllSeen ? 'primary' : 'plain';
  const allow = (): void => say('once');
  const deny = (): void => say('no');
  // What was not all seen, runs later or acts outside the project is allowed by a press on the button alone.
  const hasAllowKey = isAllSeen && !isOnceOnly(item) && action.effect !== 'external';
  return (
    <Dock
      icon={<ShieldQuestion aria-hidden="true" />}
      title={t(isFile ? 'approval.title' : 'approval.titleOfAction')}
      aside={isFile ? <DiffStat diff={diff} /> : undefined}
      issue={issue}
      keys={{ [ALLOW_KEYS]: hasAllowKey ? allow : undefined, [DENY_KEYS]: deny }}
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
            label={once}
            kind={kind}
            isBusy={isSending}
            hasKey={hasAllowKey}
            onAllow={allow}
            longer={isOnceOnly(item) ? [] : toLongerApprovals(t, { item, isThread, onChoose: say })}
          />
        </>
      }
    >
      <p className="mb-2 wrap-anywhere">
        {isFile
          ? t(toProposedChange(item).isNew ? 'approval.wantsNew' : 'approval.wants')
          : `${toShownLine(action.title)} ·`}{' '}
        <bdi className="font-mono text-sm font-medium">{toShownPath(action.target)}</bdi>
      </p>
      {action.effect === 'external' ? <Warning text={t('approval.external')} /> : undefined}
      {item.runsLater ? <Warning text={t(`approval.runsLater.${item.runsLater}`)} /> : undefined}
      <DiffView diff={diff} label={t(isFile ? 'approval.diff' : 'approval.arguments')} onHidden={setHidden} />
      {hidden > 0 || diff.isPartial ? (
        <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-warn">
          {hidden > 0 ? t('approval.hidden', { count: hidden }) : t('approval.cut')}
          {diff.isPartial && call?.kind === 'tool' ? (
            <Button
              size="sm"
              icon={<Download aria-hidden="true" className="size-3.5" />}
              onClick={() =>
                saveBlob(new Blob([writtenOf(call) ?? call.arguments]), toFileName(action.target))
              }
            >
              {t('approval.download')}
            </Button>
          ) : undefined}
        </p>
      ) : undefined}
    </Dock>
  );
}

function Warning({ text }: { readonly text: string }) {
  return (
    <p className="mb-2 flex items-start gap-2 font-medium text-bad">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      {text}
    </p>
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
