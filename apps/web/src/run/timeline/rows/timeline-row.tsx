/** One row of the timeline by its kind. Memoized by its item. */
import type { WaiveRequest } from '@crewagent/protocol/proof';
import type { ItemOf } from '@crewagent/protocol/story/items';
import { isRetryNotice, type RowOf } from '@crewagent/protocol/story/rows';
import { memo, type ReactNode } from 'react';
import { ApprovalRow, QuestionRow } from './asked-rows.tsx';
import { ChoicesRow, MenuRow } from './choice-rows.tsx';
import { AgentCard, EventRow } from './event-row.tsx';
import { EarlierRow, NodeHeader } from './header-rows.tsx';
import { type ReplyContext, ReplyPart } from './live-reply.tsx';
import { PersonRow } from './message-rows.tsx';
import { isRefusal, MoveRow, RefusedMoveRow } from './move-row.tsx';
import { NoticeRow, PhaseRow, RetryRow } from './problem-rows.tsx';
import type { ShownRow } from './shown-rows.ts';
import { ReadsRow, ToolRow } from './tool-row.tsx';

/** What a person can do from the timeline. Keeps its identity while the conversation is the same. */
export interface TimelineActions {
  readonly input: (text: string) => void;
  /** Resumes an idle run. */
  readonly resume: () => void;
  /** Loads earlier items of a log. */
  readonly loadEarlier: (source: string) => void;
  /** Retries the model request without waiting. */
  readonly retryNow: () => void;
  readonly stop: () => void;
  /** Continues without the called sub-workflow. */
  readonly skip: (() => void) | undefined;
  /** Lets the run leave its step although a check is not met. */
  readonly waive: ((waiver: WaiveRequest) => void) | undefined;
  /** Removes a queued message before the next turn. */
  readonly withdraw: (item: ItemOf<'person'>, isEdited: boolean) => void;
}

export interface RowContext extends ReplyContext {
  readonly actions: TimelineActions;
  /** Key of the row whose choices are still active. */
  readonly choosingKey: string | undefined;
  /** Key of the row where the run is idle now. */
  readonly idleKey: string | undefined;
  /** Key of the row with the request that will be retried. */
  readonly retryKey: string | undefined;
  /** Keys of the rows where a resumable run was left. */
  readonly leftKeys: ReadonlySet<string>;
  readonly titleOf: (source: string, nodeId: string) => string;
  /** The run whose log this is; undefined for a thread. */
  readonly runIdOf: (source: string) => string | undefined;
}

interface TimelineRowProps {
  readonly row: ShownRow;
  readonly context: RowContext;
}

export const TimelineRow = memo(
  function TimelineRow({ row, context }: TimelineRowProps): ReactNode {
    switch (row.kind) {
      case 'node':
        return <NodeHeader row={row} />;
      case 'reads':
        return <ReadsRow row={row} />;
      case 'part':
        return <ReplyPart row={row} live={context.live} drawn={context.drawn} follows={context.follows} />;
      case 'item':
        return <Item row={row} context={context} />;
    }
  },
  (before, after) => isSameRow(before.row, after.row) && before.context === after.context,
);

function Item({ row, context }: { readonly row: RowOf<'item'>; readonly context: RowContext }): ReactNode {
  const { key, item, source, call } = row;
  const { input, resume, retryNow, skip, waive } = context.actions;
  const titleOf = (nodeId: string): string => context.titleOf(source, nodeId);
  switch (item.kind) {
    case 'person':
      return <PersonRow item={item} />;
    case 'tool':
      return <ToolRow rowKey={key} item={item} source={source} titleOf={titleOf} />;
    case 'move':
      if (item.isRewind) return <EventRow item={item} titleOf={titleOf} />;
      return <MoveRow rowKey={key} item={item} call={call} titleOf={titleOf} />;
    case 'notice':
      if (isRefusal(item)) return <RefusedMoveRow rowKey={key} item={item} call={call} titleOf={titleOf} />;
      if (item.code.startsWith('info.')) return <EventRow item={item} titleOf={titleOf} />;
      if (!isRetryNotice(item)) return <NoticeRow item={item} />;
      return (
        <RetryRow
          item={item}
          tries={row.tries}
          onRetryNow={key === context.retryKey ? retryNow : undefined}
        />
      );
    case 'question':
      return <QuestionRow item={item} />;
    case 'approval':
      return <ApprovalRow item={item} />;
    case 'phase':
      return (
        <PhaseRow
          item={item}
          {...(key === context.idleKey
            ? { onResume: resume, onSkip: skip, onWaive: waive, runId: context.runIdOf(source) }
            : {})}
        />
      );
    case 'earlier':
      return <EarlierRow count={item.count} onLoad={() => context.actions.loadEarlier(source)} />;
    case 'agent':
      return <AgentCard item={item} />;
    case 'mark': {
      const reenter = (): void => input(`/resume ${item.id}`);
      const onResume = context.leftKeys.has(key) ? reenter : undefined;
      return <EventRow item={item} titleOf={titleOf} onResume={onResume} />;
    }
    case 'menu':
      return <MenuRow item={item} onInput={input} isOver={key !== context.choosingKey} />;
    case 'choices':
      return <ChoicesRow item={item} onInput={input} isOver={key !== context.choosingKey} />;
    default:
      return <EventRow item={item} titleOf={titleOf} />;
  }
}

/** Items are replaced, never mutated. */
function isSameRow(one: ShownRow, other: ShownRow): boolean {
  if (one.kind === 'item' && other.kind === 'item')
    return one.item === other.item && one.call === other.call && one.tries === other.tries;
  if (one.kind === 'reads' && other.kind === 'reads') {
    return (
      one.items.length === other.items.length && one.items.every((item, index) => item === other.items[index])
    );
  }
  if (one.kind === 'part' && other.kind === 'part')
    return (
      one.isStreaming === other.isStreaming &&
      one.isLast === other.isLast &&
      one.replyKey === other.replyKey &&
      PART_KEYS.every((key) => one.item[key] === other.item[key])
    );
  if (one.kind === 'node' && other.kind === 'node')
    return one.visit === other.visit && one.title === other.title;
  return false;
}

const PART_KEYS = ['text', 'reasoning', 'thoughtMs', 'isPartial'] as const;
