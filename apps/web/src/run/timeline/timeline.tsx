/**
 * The timeline of a conversation. Virtualized; follows new rows while scrolled to the end, and otherwise keeps the scroll
 * position.
 */

import { SLOW_START_SECONDS } from '@crewagent/protocol/model';
import type { WaiveRequest } from '@crewagent/protocol/proof';
import type { ItemOf } from '@crewagent/protocol/story/items';
import type { Story } from '@crewagent/protocol/story/story';
import type { WorkItem } from '@crewagent/protocol/story/work-story';
import { type ReactNode, type Ref, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { Virtualizer } from 'virtua';
import { useTranslation } from '../../i18n/use-translation.ts';
import type { Observable, Words } from '../../state/conversation-store.ts';
import type { ShownStory } from '../../state/shown-story.ts';
import { OpenRowsContext, useOpenRowsState } from '../open-rows.ts';
import { ToEndButton, useFollowEnd } from '../use-follow-end.tsx';
import { NodeHeader } from './rows/node-header.tsx';
import { PersonRow } from './rows/person-row.tsx';
import { ReplyClock } from './rows/reply-clock.tsx';
import { ReplyRow } from './rows/reply-row.tsx';
import { type RowContext, TimelineRow } from './rows/timeline-row.tsx';
import { isRetryNotice, toPendingNodeRow, toRows, withoutQueued } from './to-rows.ts';

export interface TimelineProps {
  readonly timeline: readonly WorkItem[];
  readonly runs: ReadonlyMap<string, ShownStory>;
  /** The active run or thread. */
  readonly active: ShownStory;
  /** The called run that is active; defaults to `active`. */
  readonly called?: ShownStory | undefined;
  /** Its streaming text. */
  readonly words: Observable<Words | undefined>;
  /** The connection is open, so the status is current. */
  readonly isConnected: boolean;
  /** The last menu or choices still accept a number. */
  readonly isChoosing: boolean;
  readonly onInput: (text: string) => void;
  /** Resumes an idle run. */
  readonly onResume: () => void;
  /** Retries the model request without waiting. */
  readonly onRetryNow: () => void;
  readonly onStop?: (() => void) | undefined;
  /** Continues without the sub-workflow that was called. */
  readonly onSkip?: (() => void) | undefined;
  /** Lets the run leave its step although a check is not met. */
  readonly onWaive?: ((waiver: WaiveRequest) => void) | undefined;
  /** Removes a queued message before the next turn. */
  readonly onWithdraw?: (item: ItemOf<'person'>, isEdited: boolean) => void;
  /** Number of messages sent from here: the user's own messages are always scrolled into view. */
  readonly sent?: number;
  /** Content after the last row. */
  readonly ending?: ReactNode;
}

export function Timeline(props: TimelineProps) {
  const { runs, active, called = active, words, isConnected, isChoosing } = props;
  const { onInput, onResume, onRetryNow, onStop, onSkip, onWaive, ending } = props;
  const { t } = useTranslation();
  const openRows = useOpenRowsState();
  const { runId, queued } = called;
  const timeline = useMemo(
    () => withoutQueued(props.timeline, { runId, queued }),
    [props.timeline, runId, queued],
  );
  const rows = useMemo(() => toRows(timeline, runs), [timeline, runs]);
  const context = useRowContext({
    ...{ rows, runs, active, called, isChoosing },
    ...{ onInput, onResume, onRetryNow, onSkip, onWaive },
  });
  const isWorking = active.status.kind === 'running' && isConnected && !isBusyWithTool(timeline);
  const isLive = called.streaming !== undefined || isWorking;
  const pending = isLive ? toPendingNodeRow(rows, called) : undefined;
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const lastKey = rows.at(-1)?.key;
  const { list, isAtEnd, lastSeenKey, follow } = useFollowEnd({ scroller, content, lastKey });
  const { sent = 0, onWithdraw } = props;
  useEffect(() => {
    if (sent > 0) follow();
  }, [sent, follow]);

  return (
    <OpenRowsContext value={openRows}>
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
            <Virtualizer ref={list} scrollRef={scroller} bufferSize={600} data={rows}>
              {(row, index) => (
                <div key={row.key} data-key={row.key} className={INDENTS[depthOf(row.source, runs)]}>
                  {index > 0 && rows[index - 1]?.key === lastSeenKey ? <NewMarker /> : undefined}
                  <TimelineRow row={row} context={context} />
                </div>
              )}
            </Virtualizer>
            {isLive ? (
              <div className={INDENTS[depthOf(called.runId, runs)]}>
                {pending ? <NodeHeader row={pending} /> : undefined}
                <LiveReply words={words} active={called} onRetryNow={onRetryNow} onStop={onStop} />
              </div>
            ) : undefined}
            {queued.map((item) => (
              <PersonRow
                key={`${item.seq} ${item.text}`}
                item={item}
                isQueued
                {...(onWithdraw && isConnected
                  ? { onWithdraw: (isEdited: boolean) => onWithdraw(item, isEdited) }
                  : {})}
              />
            ))}
            {ending}
          </div>
        </section>
        {isAtEnd ? undefined : <ToEndButton onClick={follow} />}
      </div>
    </OpenRowsContext>
  );
}

/** Rows of a called run are indented; very deep calls share the last level. */
const INDENTS = ['', 'ms-3 border-s ps-3', 'ms-6 border-s ps-3', 'ms-9 border-s ps-3'] as const;

function depthOf(source: string, runs: TimelineProps['runs']): number {
  return Math.min(runs.get(source)?.caller?.depth ?? 0, INDENTS.length - 1);
}

/** Shared context of all rows; keeps its identity while nothing changes. */
function useRowContext(options: {
  readonly rows: ReturnType<typeof toRows>;
  readonly runs: TimelineProps['runs'];
  readonly active: TimelineProps['active'];
  readonly called: TimelineProps['active'];
  readonly isChoosing: boolean;
  readonly onInput: (text: string) => void;
  readonly onResume: () => void;
  readonly onRetryNow: () => void;
  readonly onSkip: (() => void) | undefined;
  readonly onWaive: TimelineProps['onWaive'];
}): RowContext {
  const { rows, runs, active, called, isChoosing, onInput, onResume, onRetryNow, onSkip, onWaive } = options;
  const last = rows.at(-1);
  const itemOf = (row: (typeof rows)[number] | undefined, { runId }: Readonly<Story>) =>
    row?.kind === 'item' && row.source === runId ? row.item : undefined;
  // Later items, such as an undo, do not remove the button.
  const isIdle = active.status.canResume || active.reason?.details?.isUnasked === true;
  const idleKey = isIdle ? rows.findLast((row) => itemOf(row, active)?.kind === 'phase')?.key : undefined;
  const lastItem = itemOf(last, called);
  const retryKey =
    active.status.kind === 'running' && lastItem && isRetryNotice(lastItem) ? last?.key : undefined;
  const choosingKey = isChoosing
    ? rows.findLast((row) => row.kind === 'item' && (row.item.kind === 'menu' || row.item.kind === 'choices'))
        ?.key
    : undefined;
  // Node titles are fixed when a run is created; only the set of known runs changes.
  const known = [...runs].map(([id, { nodes }]) => `${id}${nodes.length}`).join();
  const titles = useMemo(() => {
    void known;
    return new Map(
      [...runs].map(([id, { nodes }]) => [id, new Map(nodes.map((node) => [node.id, node.title]))]),
    );
  }, [known, runs]);
  const left = findLeftKeys(rows, runs, active.runId).join(' ');
  const latest = useRef(titles);
  latest.current = titles;
  return useMemo(
    () => ({
      onInput,
      choosingKey,
      idleKey,
      onResume,
      retryKey,
      onRetryNow,
      onSkip,
      onWaive,
      leftKeys: new Set(left.split(' ')),
      titleOf: (source, nodeId) => latest.current.get(source)?.get(nodeId) ?? nodeId,
    }),
    [onInput, choosingKey, idleKey, onResume, retryKey, onRetryNow, onSkip, onWaive, left],
  );
}

/** For each incomplete run that is not active, the row where it was left last. */
function findLeftKeys(
  rows: ReturnType<typeof toRows>,
  runs: TimelineProps['runs'],
  activeRunId: string,
): readonly string[] {
  const keys = new Map<string, string>();
  for (const row of rows)
    if (row.kind === 'item' && row.item.kind === 'run-left') keys.set(row.item.runId, row.key);
  return [...keys]
    .filter(([runId]) => runId !== activeRunId && runs.get(runId)?.status.kind !== 'completed')
    .map(([, key]) => key);
}

/**
 * Measures the height of the timeline. Nested deeper than the rows, so that its ResizeObserver fires after the rows were measured
 * and in the same frame; at a smaller depth it would fire in the next frame, with a warning.
 */
function Ruler({ ref }: { readonly ref: Ref<HTMLDivElement> }) {
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

/** The reply that is being written: all that is drawn anew with each of its words. */
function LiveReply({ words, active, onRetryNow, onStop }: LiveReplyProps) {
  const said = useSyncExternalStore(words.subscribe, words.read);
  const { text = '', reasoning } = said ?? {};
  const isEvaluating = said === undefined && (active.firstByteSeconds ?? 0) >= SLOW_START_SECONDS;
  const since = `${active.updatedAt} ${text.length} ${reasoning?.length}`;
  return (
    <ReplyRow
      rowKey="streaming"
      text={text}
      reasoning={reasoning}
      isStreaming
      clock={
        <ReplyClock
          key={since}
          hasText={text !== ''}
          {...{ isEvaluating, onRetryNow, onStop }}
          {...toStart(active, text, isEvaluating)}
        />
      }
    />
  );
}

interface LiveReplyProps {
  readonly words: Observable<Words | undefined>;
  readonly active: ShownStory;
  readonly onRetryNow: () => void;
  readonly onStop: (() => void) | undefined;
}

/**
 * Before the first delta the clock starts at the request, also at one that will be retried; the view has no time of later
 * deltas.
 */
function toStart(
  { updatedAt, turnStartedAt, timeline }: Readonly<Story>,
  text: string,
  isEvaluating: boolean,
): { readonly startedAt?: string } {
  const last = timeline.at(-1);
  if (last?.kind === 'notice' && last.retryDelayMs !== undefined && last.ts === updatedAt)
    return { startedAt: new Date(Date.parse(last.ts) + last.retryDelayMs).toISOString() };
  // What is queued meanwhile does not make it begin anew.
  if (isEvaluating && turnStartedAt !== undefined) return { startedAt: turnStartedAt };
  return text === '' && updatedAt !== undefined ? { startedAt: updatedAt } : {};
}
