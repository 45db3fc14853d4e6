/** An action that needs approval: exactly what would be done. Denying is always possible, with room for a reason. */
import type { ApprovalDecision, ApprovalReach, ApprovalResponse } from '@crewagent/protocol/approvals';
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import { parseObject, textOf } from '@crewagent/protocol/json-object';
import type { ItemOf, StoryItem } from '@crewagent/protocol/story/items';
import { Download, ShieldQuestion, Undo2 } from 'lucide-react';
import { saveBlob } from '../../api/save-response.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { DiffStat } from '../../ui/code/diff-stat.tsx';
import { DiffView } from '../../ui/code/diff-view.tsx';
import { toShownLine, toShownProse } from '../../ui/sanitize-text.ts';
import { toShownName } from '../approval-reach.ts';
import { writtenOf } from '../timeline/describe-tool.ts';
import { ActionFacts } from './action-facts.tsx';
import { DecisionDock, toLongerApprovals, useDecision } from './decision-dock.tsx';
import { toSeen, toSha256, usePreviews } from './preview.ts';

export interface ApprovalDockProps {
  readonly item: ItemOf<'approval'>;
  /** Outside a workflow: there is no step and no run to approve for. */
  readonly isThread: boolean;
  readonly onApprove: (callId: string, response: ApprovalResponse) => Promise<void>;
}

/** `call`: the call that asks, with all that it wants to write. */
export function ApprovalDock(props: ApprovalDockProps & { readonly call: StoryItem | undefined }) {
  const { item, isThread, call, onApprove } = props;
  const { t } = useTranslation();
  const { previews, hasToBeViewed } = usePreviews([item]);
  const [preview] = previews;
  const decision = useDecision(item.callId, onApprove);
  if (!preview) return undefined;
  const { action } = item;
  const { diff, isCut, isNew, sight } = preview;
  const isFile = isFileAction(action);
  const say = (said: ApprovalDecision, reach?: ApprovalReach): void =>
    decision.send(async () => ({ decision: said, reach, ...(said === 'no' ? {} : await toSeen(preview)) }));
  return (
    <DecisionDock
      icon={<ShieldQuestion />}
      title={t(isFile ? 'approval.title' : 'approval.titleOfAction')}
      aside={isFile ? <DiffStat diff={diff} /> : undefined}
      asked={previews}
      decision={decision}
      denyLabel={t('approval.no')}
      allowLabel={t('approval.once')}
      unseenLabel={t('approval.allow')}
      allowed={previews}
      linesToView={hasToBeViewed ? sight.rows : undefined}
      cut={isCut ? <CutNote call={call} target={action.target} /> : undefined}
      longer={isOnceOnly(item) ? [] : toLongerApprovals(t, { item, isThread, onChoose: say })}
      onDeny={() => say('no')}
      onAllow={() => say('once')}
      onNext={() => preview.goTo.current?.(sight.firstUnseen() ?? 0)}
    >
      <p className="mb-2 wrap-anywhere">
        {isFile ? t(isNew ? 'approval.wantsNew' : 'approval.wants') : `${toShownLine(action.title)} ·`}{' '}
        <bdi className="font-mono text-sm font-medium">{toShownName(action.target)}</bdi>
      </p>
      <ActionFacts item={item} />
      <DiffView diff={diff} label={t(isFile ? 'approval.diff' : 'approval.arguments')} viewing={preview} />
    </DecisionDock>
  );
}

/** The model asks to take the run back to an earlier step: what that means, and why. */
export function GoBackDock({ item: { callId, action }, onApprove }: Omit<ApprovalDockProps, 'isThread'>) {
  const { t } = useTranslation();
  const decision = useDecision(callId, onApprove);
  const { text } = action.preview;
  const { title, reason } = parseObject(text) ?? {};
  return (
    <DecisionDock
      icon={<Undo2 />}
      title={t('approval.titleOfGoBack', { node: toShownLine(textOf(title) || action.target) })}
      asked={action}
      decision={decision}
      denyLabel={t('approval.goBackNo')}
      allowLabel={t('approval.goBackYes')}
      onDeny={() => decision.send(async () => ({ decision: 'no' }))}
      onAllow={() => decision.send(async () => ({ decision: 'once', shown: await toSha256(text) }))}
    >
      <p className="mb-2 whitespace-pre-wrap wrap-anywhere">{toShownProse(textOf(reason) ?? '')}</p>
      <p className="text-sm text-ink-faint">{t('approval.goBack')}</p>
    </DecisionDock>
  );
}

/** That a preview does not contain everything, and the download of what the call wants to write. */
function CutNote({ call, target }: { readonly call: StoryItem | undefined; readonly target: string }) {
  const { t } = useTranslation();
  // A name that no folder is chosen by.
  const name = target.slice(target.lastIndexOf('/') + 1).replace(/[^\p{L}\p{N}._-]+/gu, '_') || 'change.txt';
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-warn">
      {t('approval.cut')}
      {call?.kind === 'tool' ? (
        <Button
          size="sm"
          icon={<Download className="size-3.5" />}
          onClick={() => saveBlob(new Blob([writtenOf(call) ?? call.arguments]), name)}
        >
          {t('approval.download')}
        </Button>
      ) : undefined}
    </span>
  );
}
