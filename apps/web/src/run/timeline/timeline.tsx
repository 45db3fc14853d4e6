/**
 * The timeline of a conversation. Virtualized; follows new rows while scrolled to the end, and otherwise keeps the scroll
 * position.
 */

import { isRetryNotice, type StoryRow, toRows, withoutQueued } from '@crewagent/protocol/story/rows';
import type { Story } from '@crewagent/protocol/story/story';
import type { WorkItem } from '@crewagent/protocol/story/work-story';
import {
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { Observable, ShownStory, Words } from '../../state/conversation-store.ts';
import { OpenRowsContext, useOpenRowsState } from '../open-rows.ts';
import { useIsReadOnly } from '../past.ts';
import { ToEndButton, useFollowEnd } from '../use-follow-end.tsx';
import { ScrolledUpContext } from './rows/header-rows.tsx';
import { ExpectedReplyContext, type ReplyContext } from './rows/live-reply.tsx';
import { PersonRow } from './rows/message-rows.tsx';
import { type ShownRow, useShownRows } from './rows/shown-rows.ts';
import { type RowContext, type TimelineActions, TimelineRow } from './rows/timeline-row.tsx';
import { useSelectedRows } from './use-selected-rows.ts';
import { useShowStep } from './use-show-step.ts';

export interface TimelineProps {
  readonly timeline: readonly WorkItem[];
  readonly runs: ReadonlyMap<string, ShownStory>;
  /** The active run or thread. */
  readonly active: ShownStory;
  /** The called run that is active; `active` without one. */
  readonly called: ShownStory;
  /** Its streaming text. */
  readonly words: Observable<Words | undefined>;
  /** The connection is open, so the status is current. */
  readonly isConnected: boolean;
  /** The last menu or choices still accept a number. */
  readonly isChoosing: boolean;
  readonly actions: TimelineActions;
  /** Number of messages sent from here: the user's own messages are always scrolled into view. */
  readonly sent: number;
  /** Content after the last row. */
  readonly ending?: ReactNode;
}

export function Timeline(props: TimelineProps) {
  const { runs, active, called, words, isConnected, actions, sent, ending } = props;
  const { t } = useTranslation();
  const openRows = useOpenRowsState();
  const isReadOnly = useIsReadOnly();
  const { runId, queued } = called;
  const timeline = useMemo(
    () => withoutQueued(props.timeline, { runId, queued }),
    [props.timeline, runId, queued],
  );
  const rows = useMemo(() => toRows(timeline, runs), [timeline, runs]);
  const isWorking = active.status.kind === 'running' && isConnected && !isBusyWithTool(timeline);
  const isLive = called.streaming !== undefined || isWorking;
  const { shown, live } = useShownRows(rows, words, isLive ? called : undefined);
  const expected = useMemo(() => ({ story: called, actions }), [called, actions]);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const lastKey = rows.at(-1)?.key;
  const end = useFollowEnd({ scroller, content, lastKey });
  const { list, follows, isAtEnd, lastSeenKey, follow, leaveEnd } = end;
  const [drawn] = useState(() => new Set<string>());
  const replies = useMemo(() => ({ live, drawn, follows }), [live, drawn, follows]);
  const context = useRowContext(rows, replies, props);
  const lastSeen = rows.findIndex(({ key }) => key === lastSeenKey);
  const firstNewKey = lastSeen < 0 ? undefined : rows[lastSeen + 1]?.key;
  const selected = useSelectedRows(shown, scroller);
  useKeepPosition(shown, list, scroller);
  useShowStep({ rows: shown, runs, list, scroller, leaveEnd });
  useEffect(() => {
    if (sent > 0) follow();
  }, [sent, follow]);

  return (
    <OpenRowsContext value={openRows}>
      <ExpectedReplyContext value={expected}>
        <ScrolledUpContext value={!isAtEnd}>
          <div className="relative h-full min-h-0">
            <section
              ref={scroller}
              aria-label={t('timeline.label')}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
              tabIndex={0}
              className="h-full overflow-y-auto overscroll-contain [scrollbar-gutter:stable_both-edges] px-4 [overflow-anchor:none] -outline-offset-2 sm:px-6"
            >
              <div className="relative mx-auto max-w-3xl pt-4 pb-6">
                <Ruler ref={content} />
                <Virtualizer
                  ref={list}
                  scrollRef={scroller}
                  bufferSize={600}
                  itemSize={SMALLEST_ROW}
                  keepMounted={selected}
                  data={shown}
                >
                  {(row) => (
                    <div key={row.key} data-key={row.key} className={INDENTS[depthOf(row.source, runs)]}>
                      {firstNewKey !== undefined && storyKeyOf(row) === firstNewKey ? (
                        <NewMarker />
                      ) : undefined}
                      <TimelineRow row={row} context={context} />
                    </div>
                  )}
                </Virtualizer>
                {queued.map((item) => (
                  <PersonRow
                    key={`${item.seq} ${item.text}`}
                    item={item}
                    isQueued
                    onWithdraw={
                      isConnected && !isReadOnly ? (isEdited) => actions.withdraw(item, isEdited) : undefined
                    }
                  />
                ))}
                {ending}
              </div>
            </section>
            {isAtEnd ? undefined : <ToEndButton onClick={follow} />}
          </div>
        </ScrolledUpContext>
      </ExpectedReplyContext>
    </OpenRowsContext>
  );
}

/**
 * In pixels. A row that turns out smaller than expected makes the list mount others while it is measured, which the browser
 * reports as a loop of its ResizeObserver; larger rows do not.
 */
export const SMALLEST_ROW = 26;

/**
 * Keeps the visible rows in sight when rows are added before them. Scrolls itself, because a scroll by the list is given up if the
 * rows are not measured soon enough.
 */
function useKeepPosition(
  rows: readonly ShownRow[],
  list: RefObject<VirtualizerHandle | null>,
  scroller: RefObject<HTMLElement | null>,
): void {
  const before = useRef(rows);
  useLayoutEffect(() => {
    const { current: old } = before;
    before.current = rows;
    const { current } = list;
    if (!current || !scroller.current || rows.length <= old.length) return;
    const first = current.findItemIndex(current.scrollOffset);
    const visible = new Map(old.slice(first).map(({ key }, at) => [key, first + at]));
    const index = rows.findIndex(({ key }, at) => key !== old[at]?.key && visible.has(key));
    const row = rows[index];
    if (row)
      scroller.current.scrollTop +=
        current.getItemOffset(index) - current.getItemOffset(visible.get(row.key) ?? index);
  }, [rows, list, scroller]);
}

/** The row of the story that begins with this one. */
function storyKeyOf(row: ShownRow): string | undefined {
  if (row.kind !== 'part') return row.key;
  return row.at === 0 ? row.storyKey : undefined;
}

/** Rows of a called run are indented; very deep calls share the last level. */
const INDENTS = ['', 'ms-3 border-s ps-3', 'ms-6 border-s ps-3', 'ms-9 border-s ps-3'] as const;

function depthOf(source: string, runs: TimelineProps['runs']): number {
  return Math.min(runs.get(source)?.caller?.depth ?? 0, INDENTS.length - 1);
}

/** Shared context of all rows; keeps its identity while nothing changes. */
function useRowContext(
  rows: readonly StoryRow[],
  replies: ReplyContext,
  { runs, active, called, isChoosing, actions }: TimelineProps,
): RowContext {
  const isReadOnly = useIsReadOnly();
  const last = rows.at(-1);
  const itemOf = (row: StoryRow | undefined, { runId }: Readonly<Story>) =>
    row?.kind === 'item' && row.source === runId ? row.item : undefined;
  // Later items, such as an undo, do not remove the button.
  const isIdle = !isReadOnly && (active.status.canResume || active.reason?.details?.isUnasked === true);
  const idleKey = isIdle ? rows.findLast((row) => itemOf(row, active)?.kind === 'phase')?.key : undefined;
  const lastItem = itemOf(last, called);
  const retryKey =
    !isReadOnly && active.status.kind === 'running' && lastItem && isRetryNotice(lastItem)
      ? last?.key
      : undefined;
  const choosingKey =
    isChoosing && !isReadOnly
      ? rows.findLast(
          (row) => row.kind === 'item' && (row.item.kind === 'menu' || row.item.kind === 'choices'),
        )?.key
      : undefined;
  // Node titles are fixed when a run is created; only the set of known runs changes.
  const known = [...runs].map(([id, { nodes }]) => `${id}${nodes.length}`).join();
  const titles = useMemo(() => {
    void known;
    return new Map(
      [...runs].map(([id, { nodes }]) => [id, new Map(nodes.map((node) => [node.id, node.title]))]),
    );
  }, [known, runs]);
  const left = isReadOnly ? '' : findLeftKeys(rows, runs, active.runId).join(' ');
  const latest = useRef(titles);
  latest.current = titles;
  return useMemo(
    () => ({
      actions,
      choosingKey,
      idleKey,
      retryKey,
      leftKeys: new Set(left.split(' ')),
      titleOf: (source, nodeId) => latest.current.get(source)?.get(nodeId) ?? nodeId,
      // A thread has no nodes.
      runIdOf: (source) => (latest.current.get(source)?.size ? source : undefined),
      ...replies,
    }),
    [replies, actions, choosingKey, idleKey, retryKey, left],
  );
}

/** For each incomplete run that is not active, the row where it was left last. */
function findLeftKeys(
  rows: readonly StoryRow[],
  runs: TimelineProps['runs'],
  activeRunId: string,
): readonly string[] {
  const keys = new Map<string, string>();
  for (const row of rows)
    if (row.kind === 'item' && row.item.kind === 'mark' && row.item.what === 'runLeft')
      keys.set(row.item.id ?? '', row.key);
  return [...keys]
    .filter(([runId]) => runId !== activeRunId && runs.get(runId)?.status.kind !== 'completed')
    .map(([, key]) => key);
}

/**
 * Measures the height of the timeline. Nested deeper than the rows, so that its ResizeObserver fires after the rows were measured
 * and in the same frame; at a smaller depth it would fire in the next frame, with a warning.
 */
export function Ruler({ ref }: { readonly ref: Ref<HTMLDivElement> }) {
  return (
    <div aria-hidden="true" className="pointer-events-none invisible absolute inset-0 *:h-full">
      <div className="*:h-full">
        <div className="*:h-full">
          <div ref={ref} />
        </div>
      </div>
    </div>
  );
}

function isBusyWithTool(timeline: readonly WorkItem[]): boolean {
  const last = timeline.at(-1)?.item;
  return last?.kind === 'tool' && (last.status === 'asked' || last.status === 'running');
}

function NewMarker() {
  const { t } = useTranslation();
  return (
    <p className="flex items-center gap-3 py-2 text-xs font-medium text-accent-text">
      <span className="h-px grow bg-accent-text opacity-40" />
      {t('timeline.new')}
      <span className="h-px grow bg-accent-text opacity-40" />
    </p>
  );
}
