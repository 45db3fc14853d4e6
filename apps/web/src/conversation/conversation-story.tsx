/** The timeline of a conversation, with what surrounds it: an empty state, the agent's menu, the next steps. */
import type { MenuEntry } from '@crewagent/protocol/commands';
import { modeOf } from '@crewagent/protocol/conversation-state';
import type { WaiveRequest } from '@crewagent/protocol/proof';
import { toStatus } from '@crewagent/protocol/status';
import type { ItemOf, StoryItem } from '@crewagent/protocol/story/items';
import { MessageSquareText } from 'lucide-react';
import { type ReactNode, useCallback } from 'react';
import type { WorkApi } from '../api/work-api.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { MenuGrid } from '../run/timeline/rows/choice-rows.tsx';
import { Timeline } from '../run/timeline/timeline.tsx';
import type { ConversationPicture } from '../state/conversation-store.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { addToDraft } from './composer/use-draft.ts';
import type { Sending } from './composer/use-sending.ts';
import { restartTurn } from './restart-turn.ts';
import type { FollowedConversation } from './use-conversation.ts';

interface ConversationStoryProps {
  readonly api: WorkApi;
  readonly workId: string;
  readonly picture: ConversationPicture;
  readonly words: FollowedConversation['words'];
  /** The agent's menu, once loaded. */
  readonly menu: readonly MenuEntry[] | undefined;
  readonly pressing: Sending;
  readonly isLost: boolean;
  readonly sent: number;
  readonly isConnected: boolean;
  readonly afterCompletion: ((isAgain: boolean) => ReactNode) | undefined;
  /** A button was pressed that then disappears. */
  readonly onPressed: () => void;
}

export function ConversationStory(props: ConversationStoryProps) {
  const { api, workId, picture, words, menu, pressing, isLost, afterCompletion, onPressed } = props;
  const { t } = useTranslation();
  const { active, called, state, timeline, runs, isEmpty } = picture;
  const { send } = pressing;
  // A rejection is shown in the timeline.
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends only on the conversation
  const choose = useCallback(
    (text: string) => {
      send(() => api.input(workId, text));
      onPressed();
    },
    [api, workId],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends only on the conversation
  const resume = useCallback(() => {
    send(() => api.resume(workId));
    onPressed();
  }, [api, workId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends only on the conversation
  const retryNow = useCallback(() => {
    send(() => restartTurn(api, workId));
    onPressed();
  }, [api, workId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends only on the conversation
  const skip = useCallback(() => {
    send(() => api.skip?.(workId) ?? Promise.resolve());
    onPressed();
  }, [api, workId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends only on the conversation
  const waive = useCallback(
    (waiver: WaiveRequest) => {
      send(() => api.waive?.(workId, waiver) ?? Promise.resolve());
      onPressed();
    },
    [api, workId],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: only which conversation it is counts
  const stop = useCallback(() => send(() => api.stop(workId)), [api, workId]);
  const withdraw = (item: ItemOf<'person'>, isEdited: boolean): void => {
    send(
      () => api.withdraw(workId, item.seq),
      () => {
        if (isEdited) addToDraft(workId, item.text);
      },
    );
    onPressed();
  };
  if (isEmpty && isLost) return undefined;
  if (isEmpty) return <Skeleton className="mx-auto mt-8 h-20 w-[min(44rem,90%)]" />;
  if (timeline.length === 0 && !called.streaming) {
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
      called={called}
      words={words}
      isConnected={props.isConnected}
      isChoosing={state.choosing !== undefined}
      onInput={choose}
      onResume={resume}
      onRetryNow={retryNow}
      onStop={stop}
      sent={props.sent}
      onWithdraw={withdraw}
      onSkip={api.skip ? skip : undefined}
      onWaive={api.waive ? waive : undefined}
      ending={
        isOpening(picture) ? (
          <AgentOpening entries={menu} onInput={choose} />
        ) : isComplete(picture) ? (
          afterCompletion?.(completionsOf(picture) > 1)
        ) : undefined
      }
    />
  );
}

/** There is an agent, and no message yet. */
function isOpening({ state, timeline, active }: ConversationPicture): boolean {
  const isFirst = timeline.at(-1)?.item.kind === 'agent';
  return isFirst && modeOf(state) === 'agent' && active.status.kind !== 'running';
}

/** A workflow is complete, and no message followed. */
function isComplete({ timeline }: ConversationPicture): boolean {
  const last = timeline.findLast(({ item: { kind } }) => kind !== 'run-left' && kind !== 'undone')?.item;
  return last !== undefined && isCompletion(last);
}

function isCompletion(item: StoryItem): boolean {
  return item.kind === 'phase' && toStatus(item).kind === 'completed';
}

/** Number of completions of the run since its last rewind. */
function completionsOf({ timeline }: ConversationPicture): number {
  const source = timeline.findLast(({ item }) => item.kind === 'phase')?.source;
  const own = timeline.filter((entry) => entry.source === source).map(({ item }) => item);
  const since = own.slice(own.findLastIndex((item) => item.kind === 'move' && item.isRewind) + 1);
  return since.filter(isCompletion).length;
}

interface AgentOpeningProps {
  /** Undefined while loading. */
  readonly entries: readonly MenuEntry[] | undefined;
  readonly onInput: (text: string) => void;
}

/** The agent's menu while there is no message yet. Showing it sends nothing. */
function AgentOpening({ entries, onInput }: AgentOpeningProps) {
  const { t } = useTranslation();
  if (!entries) return <Skeleton className="my-3 h-24" />;
  return (
    <>
      <p className="mt-1 text-ink-soft">{t(entries.length > 0 ? 'menu.hint' : 'menu.none')}</p>
      {entries.length > 0 ? <MenuGrid entries={entries} isOver={false} onInput={onInput} /> : undefined}
    </>
  );
}
