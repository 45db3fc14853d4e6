/** A conversation: its story, what it asks for, and where to write. */
import { MessageSquareText } from 'lucide-react';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationApi } from '../api/conversation-api.ts';
import { ApprovalDock } from '../run/docks/approval-dock.tsx';
import { QuestionDock } from '../run/docks/question-dock.tsx';
import { Timeline } from '../run/timeline/timeline.tsx';
import type { ConversationPicture } from '../state/conversation-store.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { toShownText } from '../ui/foreign-text.ts';
import { Note } from '../ui/note.tsx';
import { Composer } from './composer.tsx';
import type { FollowedConversation } from './use-conversation.ts';

interface ConversationPaneProps {
  readonly api: ConversationApi;
  readonly conversationId: string;
  readonly followed: FollowedConversation;
}

export function ConversationPane({ api, conversationId, followed }: ConversationPaneProps) {
  const { t } = useTranslation();
  const { picture, connection, fault } = followed;
  const { active, state, timeline, runs } = picture;
  const input = useCallback((text: string) => api.input(conversationId, text), [api, conversationId]);
  const findFiles = useCallback(
    (query: string, signal: AbortSignal) => api.findFiles(conversationId, query, signal),
    [api, conversationId],
  );
  const choose = useCallback((text: string) => void input(text), [input]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 grow">
        {timeline.length === 0 && !active.streaming ? (
          <EmptyState icon={<MessageSquareText />} title={t('conversation.emptyTitle')}>
            {t('conversation.emptyText')}
          </EmptyState>
        ) : (
          <Timeline
            timeline={timeline}
            runs={runs}
            active={active}
            isChoosing={state.choosing !== undefined}
            onInput={choose}
          />
        )}
      </div>
      <div className="shrink-0 px-4 pb-3 sm:px-6">
        <div className="mx-auto flex w-full max-w-3xl flex-col gap-2.5">
          {fault ? (
            <Note level="error" title={t('conversation.lostTitle')} advice={t('conversation.lostAdvice')}>
              {toShownText(fault.message)}
            </Note>
          ) : undefined}
          {connection === 'broken' && !fault ? (
            <p role="status" className="text-sm text-warn">
              {t('conversation.reconnecting')}
            </p>
          ) : undefined}
          <PendingDock api={api} conversationId={conversationId} picture={picture} />
          <Composer
            isRunning={active.phase === 'Running'}
            forNode={nodeTitleOf(picture)}
            queuedInputs={active.queuedInputs}
            onSend={input}
            onStop={() => api.stop(conversationId)}
            findFiles={findFiles}
          />
        </div>
      </div>
    </div>
  );
}

interface PendingDockProps {
  readonly api: ConversationApi;
  readonly conversationId: string;
  readonly picture: ConversationPicture;
}

/** One per call: what was typed for one question is never sent for another. */
function PendingDock({ api, conversationId, picture: { active } }: PendingDockProps) {
  const { pending } = active;
  if (pending?.kind === 'question') {
    return (
      <QuestionDock
        key={pending.callId}
        item={pending}
        onAnswer={(callId, answers) => api.answer(conversationId, callId, answers)}
      />
    );
  }
  if (pending?.kind === 'approval') {
    return (
      <ApprovalDock
        key={pending.callId}
        item={pending}
        onApprove={(callId, word) => api.approve(conversationId, callId, word)}
      />
    );
  }
  return undefined;
}

/** The node that what is written is for; none after completion, and none in a talk. */
function nodeTitleOf({ active }: ConversationPicture): string | undefined {
  const { currentNodeId } = active.state;
  if (currentNodeId === '' || active.phase === 'Completed') return undefined;
  return active.nodes.find(({ id }) => id === currentNodeId)?.title ?? currentNodeId;
}
