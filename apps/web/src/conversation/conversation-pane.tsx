/** A conversation: its story, what it asks for, and where to write. */

import { ApiError } from '@crewagent/protocol/api/client';
import { modeOf } from '@crewagent/protocol/conversation-state';
import { MessageSquareText } from 'lucide-react';
import { type ReactNode, useCallback } from 'react';
import type { ConversationApi } from '../api/conversation-api.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { ApprovalDock } from '../run/docks/approval-dock.tsx';
import { QuestionDock } from '../run/docks/question-dock.tsx';
import { Timeline } from '../run/timeline/timeline.tsx';
import type { ConversationPicture } from '../state/conversation-store.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { toFaultWords } from '../ui/fault-words.ts';
import { toShownText } from '../ui/foreign-text.ts';
import { Note } from '../ui/note.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { AgentOpening } from './agent-opening.tsx';
import { Composer } from './composer.tsx';
import { fittingCommands } from './fitting-commands.ts';
import { PartnerControls } from './partner-controls.tsx';
import type { FollowedConversation } from './use-conversation.ts';
import { type SendFault, type Sending, useSending } from './use-sending.ts';

interface ConversationPaneProps {
  readonly api: ConversationApi;
  readonly conversationId: string;
  readonly followed: FollowedConversation;
  /** Stands behind the story of a workflow that is complete. */
  readonly afterCompletion?: ReactNode;
}

export function ConversationPane(props: ConversationPaneProps) {
  const { api, conversationId, followed, afterCompletion } = props;
  const { picture } = followed;
  const { active } = picture;
  const { partner } = api;
  const pressing = useSending();
  const hurrying = useSending();
  const input = useCallback((text: string) => api.input(conversationId, text), [api, conversationId]);
  const findFiles = useCallback(
    (query: string, signal: AbortSignal) => api.findFiles(conversationId, query, signal),
    [api, conversationId],
  );
  const sendNow = async (text: string): Promise<void> => {
    if (text !== '') await api.input(conversationId, text);
    // The text was accepted; what goes wrong from here on must not look as if it was not.
    hurrying.send(() => beginAnew(api, conversationId));
  };
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 grow">
        <Story
          {...{ api, conversationId, picture, pressing, afterCompletion }}
          isLost={followed.fault !== undefined}
        />
      </div>
      <div className="shrink-0 px-4 pb-3 sm:px-6">
        <div className="mx-auto flex w-full max-w-3xl flex-col gap-2.5">
          <ConnectionNotes followed={followed} fault={pressing.fault ?? hurrying.fault} />
          <PendingDock api={api} conversationId={conversationId} picture={picture} />
          <Composer
            isRunning={active.phase === 'Running'}
            forNode={nodeTitleOf(picture)}
            queuedInputs={active.queuedInputs}
            onSend={input}
            onSendNow={sendNow}
            onStop={() => api.stop(conversationId)}
            findFiles={findFiles}
            commands={partner ? fittingCommands(picture) : NO_COMMANDS}
            draftName={conversationId}
            pickers={
              partner && !picture.isEmpty ? (
                <PartnerControls {...{ partner, conversationId, picture }} sending={pressing} />
              ) : undefined
            }
          />
        </div>
      </div>
    </div>
  );
}

const NO_COMMANDS: readonly string[] = [];

/** Stops what runs and lets it go on with what waits. One that came to its end meanwhile, or goes on by itself, needs no more. */
async function beginAnew(api: ConversationApi, conversationId: string): Promise<void> {
  await api.stop(conversationId);
  await api.resume(conversationId).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === 'RUN_NOT_READY')) throw error;
  });
}

interface StoryProps {
  readonly api: ConversationApi;
  readonly conversationId: string;
  readonly picture: ConversationPicture;
  readonly pressing: Sending;
  readonly isLost: boolean;
  readonly afterCompletion: ReactNode;
}

function Story({ api, conversationId, picture, pressing, isLost, afterCompletion }: StoryProps) {
  const { t } = useTranslation();
  const { active, state, timeline, runs, isEmpty } = picture;
  const { partner } = api;
  const { send } = pressing;
  // One that is refused says so in the story.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only which conversation it is counts
  const choose = useCallback(
    (text: string) => send(() => api.input(conversationId, text)),
    [api, conversationId],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: only which conversation it is counts
  const resume = useCallback(() => send(() => api.resume(conversationId)), [api, conversationId]);
  if (isEmpty && isLost) return undefined;
  if (isEmpty) return <Skeleton className="mx-auto mt-8 h-20 w-[min(44rem,90%)]" />;
  if (timeline.length === 0 && !active.streaming) {
    return (
      <EmptyState icon={<MessageSquareText />} title={t('conversation.emptyTitle')}>
        {t('conversation.emptyText')}
      </EmptyState>
    );
  }
  return (
    <Timeline
      timeline={timeline}
      runs={runs}
      active={active}
      isChoosing={state.choosing !== undefined}
      onInput={choose}
      onResume={resume}
      ending={
        partner && isOpening(picture) ? (
          <AgentOpening partner={partner} conversationId={conversationId} onInput={choose} />
        ) : isComplete(picture) ? (
          afterCompletion
        ) : undefined
      }
    />
  );
}

/** An agent is there, and nothing was said to it. */
function isOpening({ state, timeline, active }: ConversationPicture): boolean {
  const isFirst = timeline.at(-1)?.item.kind === 'agent';
  return isFirst && modeOf(state) === 'agent' && active.phase !== 'Running';
}

/** A workflow came to its end, and nothing was said since. */
function isComplete({ timeline }: ConversationPicture): boolean {
  const last = timeline.findLast(({ item: { kind } }) => kind !== 'run-left' && kind !== 'undone')?.item;
  return last?.kind === 'phase' && last.phase === 'Completed';
}

interface ConnectionNotesProps {
  readonly followed: FollowedConversation;
  /** Of what was pressed here. */
  readonly fault: SendFault | undefined;
}

function ConnectionNotes({ followed, fault: ofPress }: ConnectionNotesProps) {
  const { connection, fault } = followed;
  const { t } = useTranslation();
  const isBroken = connection === 'broken' && !fault;
  const isToldAlready = isBroken && ofPress?.kind === 'fault' && ofPress.message === t('fault.notReached');
  return (
    <>
      {fault ? (
        <Note level="error" title={t('conversation.lostTitle')} advice={t('conversation.lostAdvice')}>
          {toShownText(toFaultWords(fault))}
        </Note>
      ) : undefined}
      {isBroken ? (
        <div role="status">
          <Note level="warning" title={t('conversation.reconnecting')}>
            {t('fault.notReached')}
          </Note>
        </div>
      ) : undefined}
      {ofPress?.kind === 'fault' && !isToldAlready ? (
        <Note level="error" title={t('conversation.notDone')}>
          {toShownText(ofPress.message)}
        </Note>
      ) : undefined}
    </>
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
        runId={active.runId}
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
