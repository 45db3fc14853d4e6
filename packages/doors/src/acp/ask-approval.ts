/**
 * Asks the person in the editor whether an action may be done. What is shown is the preview that the approval is for, and the
 * decision carries its hash: another preview is not approved by it.
 */
import type { PermissionOption, RequestPermissionRequest, ToolCallContent } from '@agentclientprotocol/sdk';
import { type Pending, sha256Of } from '@crewagent/core';
import type { ApprovalResponse } from '@crewagent/protocol/approvals';
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import type { Language } from '@crewagent/protocol/languages';
import { toPlainText } from '@crewagent/protocol/plain-text';
import {
  type AskedAction,
  describeChanges,
  describeWarnings,
} from '@crewagent/protocol/story/describe-action';
import { translate } from '@crewagent/protocol/story/translate';
import type { DescribedAction } from '@crewagent/protocol/tools';
import type { Say } from './texts.ts';
import { type ToPath, toPreviewContent, toTextContent } from './to-preview.ts';

export type PendingApproval = Extract<Pending, { kind: 'approval' }>;

export interface ApprovalForm {
  readonly language: Language;
  readonly say: Say;
  readonly toPath: ToPath;
  /** Outside a workflow there is no step. */
  readonly isThread: boolean;
}

export function toPermissionRequest(
  pending: PendingApproval,
  toolCallId: string,
  form: ApprovalForm,
): Omit<RequestPermissionRequest, 'sessionId'> {
  const { action, following = [] } = pending;
  const shown = [pending, ...following].flatMap((asked) => toContent(asked, form));
  return {
    toolCall: {
      toolCallId,
      title: toPlainText(action.title),
      kind: isFileAction(action) ? 'edit' : 'execute',
      status: 'pending',
      content: shown,
      locations: (action.files ?? [{ path: action.target }])
        .flatMap(({ path }) => form.toPath(path) ?? [])
        .map((path) => ({ path })),
    },
    options: toOptions(pending, form),
  };
}

function toContent(asked: AskedAction, { language, toPath }: ApprovalForm): ToolCallContent[] {
  const warnings = [...describeChanges(asked.action), ...describeWarnings(asked)].map(
    ({ key, params, path }) =>
      `⚠ ${path === undefined ? '' : `${path}: `}${toPlainText(translate(language, key, params))}`,
  );
  const first = warnings.length === 0 ? [] : [toTextContent(warnings.join('\n\n'))];
  return [...first, ...toPreviewContent(asked.action.preview, toPath)];
}

function toOptions(pending: PendingApproval, { say, isThread }: ApprovalForm): PermissionOption[] {
  const { following = [] } = pending;
  const longer: PermissionOption[] = [
    ...(isThread ? [] : [{ optionId: 'node', name: say('allow.node'), kind: 'allow_always' } as const]),
    { optionId: 'run', name: say(isThread ? 'allow.thread' : 'allow.run'), kind: 'allow_always' },
  ];
  return [
    { optionId: 'once', name: say('allow.once'), kind: 'allow_once' },
    ...(following.length === 0
      ? []
      : [
          {
            optionId: 'all',
            name: say('allow.all', { count: following.length + 1 }),
            kind: 'allow_once',
          } as const,
        ]),
    ...(isOnceOnly(pending) ? [] : longer),
    { optionId: 'deny', name: say('allow.deny'), kind: 'reject_once' },
  ];
}

/** Undefined for an option that was not offered. */
export function toApproval(optionId: string, pending: PendingApproval): ApprovalResponse | undefined {
  const { action, following = [] } = pending;
  const seen = seenOf(action);
  switch (optionId) {
    case 'deny':
      return { decision: 'no' };
    case 'once':
      return { decision: 'once', ...seen };
    case 'all':
      if (following.length === 0) return undefined;
      return {
        decision: 'once',
        ...seen,
        following: following.map(({ callId, action: next }) => ({
          callId,
          decision: 'once',
          ...seenOf(next),
        })),
      };
    case 'node':
    case 'run':
      return isOnceOnly(pending) ? undefined : { decision: optionId, reach: 'file', ...seen };
    default:
      return undefined;
  }
}

/** The end of a preview that is cut cannot be seen. */
function seenOf({ preview }: DescribedAction): Pick<ApprovalResponse, 'shown' | 'unseen'> {
  const shown = sha256Of(preview.text);
  return preview.isCut ? { shown, unseen: 1 } : { shown };
}
