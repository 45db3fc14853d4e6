/** The timeline of a conversation, with what surrounds it: an empty state, the agent's menu, the next steps. */
import type { MenuEntry } from '@crewagent/protocol/commands';
import { modeOf } from '@crewagent/protocol/conversation-state';
import { toStatus } from '@crewagent/protocol/status';
import type { StoryItem } from '@crewagent/protocol/story/items';
import { MessageSquareText } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import type { WorkApi } from '../api/work-api.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useIsReadOnly } from '../run/past.ts';
import { MenuGrid } from '../run/timeline/rows/choice-rows.tsx';
import type { TimelineActions } from '../run/timeline/rows/timeline-row.tsx';
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
  readonly followed: FollowedConversation;
  /** The agent's menu, once loaded. */
  readonly menu: readonly MenuEntry[] | undefined;
  readonly pressing: Sending;
  readonly sent: number;
  readonly afterCompletion: ((isAgain: boolean) => ReactNode) | undefined;
  /** A button was pressed that then disappears. */
  readonly onPressed: () => void;
}

export function ConversationStory(props: ConversationStoryProps) {
  const { api, workId, followed, menu, pressing, afterCompletion, onPressed } = props;
  const { t } = useTranslation();
  const isReadOnly = useIsReadOnly();
  const { picture, words, loadEarlier } = followed;
  const { active, called, state, timeline, runs, isEmpty } = picture;
  const { send } = pressing;
  // biome-ignore lint/correctness/useExhaustiveDependencies: depends only on the conversation
  const actions = useMemo((): TimelineActions => {
    /** The button disappears then. A rejection is shown in the timeline. */
    const press = (...request: Parameters<Sending['send']>): void => {
      send(...request);
      onPressed();
    };
    const { skip, waive } = api;
    return {
      input: (text) => press(() => api.input(workId, text)),
      resume: () => press(() => api.resume(workId)),
      // Not with `send`, which drops a request while another one is on its way. The connection notes say why nothing arrives.
      loadEarlier: (source) => void loadEarlier(source).catch(() => undefined),
      retryNow: () => press(() => restartTurn(api, workId)),
      stop: () => send(() => api.stop(workId)),
      skip: skip && (() => press(() => skip(workId))),
      waive: waive && ((waiver) => press(() => waive(workId, waiver))),
      withdraw: ({ seq, text }, isEdited) =>
        press(
          () => api.withdraw(workId, seq),
          () => {
            if (isEdited) addToDraft(workId, text);
          },
        ),
    };
  }, [api, workId, loadEarlier]);
  if (isEmpty && followed.issue) return undefined;
  if (isEmpty) return <Skeleton className="mx-auto mt-8 h-20 w-[min(44rem,90%)]" />;
  if (timeline.length === 0 && !called.streaming) {
    return (
      <EmptyState icon={<MessageSquareText />} title={t('conversation.emptyTitle')}>
        {t('conversation.emptyText')}
      </EmptyState>
    );
  }
  const end = findEnd(picture);
  return (
    <Timeline
      timeline={timeline}
      runs={runs}
      active={active}
      called={called}
      words={words}
      isConnected={followed.connection !== 'broken'}
      isChoosing={state.choosing !== undefined}
      actions={actions}
      sent={props.sent}
      ending={
        isOpening(picture) && !isReadOnly ? (
          <AgentOpening entries={menu} onInput={actions.input} />
        ) : end ? (
          afterCompletion?.(end.isMerged === true)
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

/** The completion of a workflow that no message followed. */
function findEnd({ timeline }: ConversationPicture): StoryItem | undefined {
  const last = timeline.findLast(
    ({ item }) => item.kind !== 'undone' && !(item.kind === 'mark' && item.what === 'runLeft'),
  )?.item;
  return last?.kind === 'phase' && toStatus(last).isCompleted ? last : undefined;
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
