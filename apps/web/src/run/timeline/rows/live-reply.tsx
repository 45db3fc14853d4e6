/** A part of a reply: the one that is being written is drawn anew with each of its words, and says how long the model has been silent. */

import { SLOW_START_SECONDS } from '@crewagent/protocol/model';
import type { Story } from '@crewagent/protocol/story/story';
import { Hourglass } from 'lucide-react';
import { createContext, startTransition, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { formatDuration, formatElapsed } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { ShownStory } from '../../../state/conversation-store.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { useNow } from '../../../ui/use-now.ts';
import { ReplyRow } from './message-rows.tsx';
import { type LiveReply, type LiveReplySource, type PartRow, textAt } from './shown-rows.ts';

export interface ReplyContext {
  /** The reply in progress. */
  readonly live: LiveReplySource;
  /** Keys of the parts of replies that were drawn. */
  readonly drawn: Set<string>;
  /** Whether the end of the timeline is followed. */
  readonly follows: { readonly current: boolean };
}

interface ReplyPartProps extends ReplyContext {
  readonly row: PartRow;
}

/**
 * One component for a reply in progress and a complete one: it stays mounted when the reply is complete. The list takes rows that it has
 * not measured for small ones and mounts dozens of parts that arrive at once: those that are probably out of view only take their
 * room at first, and the ones that are still mounted after the list has measured them are drawn.
 */
export function ReplyPart({ row, live, drawn, follows }: ReplyPartProps) {
  const { key, replyKey, at, item, isLast, isFar, isStreaming } = row;
  const [isDrawn, setDrawn] = useState(() => !isFar || !follows.current || drawn.has(key));
  useEffect(() => {
    if (isDrawn) drawn.add(key);
    return isDrawn ? undefined : afterLayout(() => startTransition(() => setDrawn(true)));
  }, [isDrawn, drawn, key]);
  const said = useSyncExternalStore(live.subscribe, () => (isStreaming ? live.read() : undefined));
  if (!isDrawn) return <div style={{ height: toLeastHeight(item.text) }} />;
  const shown = said ? { text: textAt(said, at), reasoning: at === 0 ? said.reasoning : undefined } : item;
  return (
    <ReplyRow
      rowKey={replyKey}
      item={shown}
      isStreaming={isStreaming}
      isContinued={at > 0}
      isContinuing={!isLast}
      clock={said ? <LiveClock said={said} /> : undefined}
    />
  );
}

/** Calls back when the list has measured the rows that were mounted, and dropped those that are too many. */
function afterLayout(callback: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(callback);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

const LINE_PX = 20;

/** In pixels. A row that shrinks would make the list mount others. */
function toLeastHeight(text: string): number {
  return (text.match(/^.*\S/gm)?.length ?? 0) * LINE_PX;
}

/** What the clock of the reply in progress needs; changes with every event. */
export const ExpectedReplyContext = createContext<ExpectedReply | undefined>(undefined);

interface ExpectedReply {
  readonly story: ShownStory;
  readonly actions: ReplyActions;
}

interface ReplyActions {
  readonly retryNow: () => void;
  readonly stop: () => void;
}

function LiveClock({ said: { completed, last, reasoning, isSilent } }: { readonly said: LiveReply }) {
  const expected = useContext(ExpectedReplyContext);
  if (!expected) return undefined;
  const { story, actions } = expected;
  // Another agent works with its own tools, as long as it takes.
  if (story.model?.kind === 'host') return undefined;
  const hasText = completed.length > 0 || last !== '';
  const isEvaluating = isSilent && (story.firstByteSeconds ?? 0) >= SLOW_START_SECONDS;
  return (
    <ReplyClock
      key={`${story.updatedAt} ${completed.length} ${last.length} ${reasoning?.length}`}
      hasOutput={hasText || reasoning !== undefined}
      givesUpAfterSeconds={isEvaluating ? story.firstByteSeconds : undefined}
      startedAt={toStart(story, hasText, isEvaluating)}
      actions={actions}
    />
  );
}

/**
 * Before the first delta the clock starts at the request, also at one that will be retried; the view has no time of later
 * deltas.
 */
function toStart(
  { updatedAt, turnStartedAt, timeline }: Readonly<Story>,
  hasText: boolean,
  isEvaluating: boolean,
): string | undefined {
  const last = timeline.at(-1);
  if (last?.kind === 'notice' && last.retryDelayMs !== undefined && last.ts === updatedAt)
    return new Date(Date.parse(last.ts) + last.retryDelayMs).toISOString();
  // What is queued meanwhile does not make it begin anew.
  if (isEvaluating && turnStartedAt !== undefined) return turnStartedAt;
  return hasText ? undefined : updatedAt;
}

interface ReplyClockProps {
  /** Part of the reply or of its reasoning has arrived, which says itself that the model works. */
  readonly hasOutput: boolean;
  /** When the silence began; the time of mounting if omitted. */
  readonly startedAt: string | undefined;
  /** Of a local model: it sends nothing until it has read the whole prompt, and would begin anew if it was asked again. */
  readonly givesUpAfterSeconds: number | undefined;
  readonly actions: ReplyActions;
}

/** Clock difference between page and server. */
const CLOCK_ERROR_MS = 500;
const NOTICED_MS = 5_000;
const LONG_MS = 20_000;
/** Prompts take a local model seconds; from then on it may as well hang. */
const DOUBTFUL_MS = 120_000;

/** How long the model has been silent: nothing at first, then the time, then what can be done about it. */
function ReplyClock(props: ReplyClockProps) {
  const { hasOutput, startedAt, givesUpAfterSeconds, actions } = props;
  const isEvaluating = givesUpAfterSeconds !== undefined;
  const { t } = useTranslation();
  const [shownMs] = useState(() => Date.now());
  const nowMs = useNow(true);
  const sinceMs = startedAt === undefined ? shownMs : Date.parse(startedAt);
  const silentMs = Math.max(0, nowMs - sinceMs);
  // The request will be sent again in the future.
  if (sinceMs > nowMs + CLOCK_ERROR_MS) return undefined;
  const time = formatDuration(Math.floor(silentMs / 1_000) * 1_000);
  if (isEvaluating ? silentMs >= NOTICED_MS : silentMs >= LONG_MS)
    return (
      <div
        className={classNames(
          'flex flex-wrap items-center gap-x-3 gap-y-1 py-1 text-sm',
          isEvaluating && silentMs < DOUBTFUL_MS ? 'text-ink-soft' : 'text-warn',
        )}
      >
        <span className="flex items-center gap-2 tabular-nums">
          <Hourglass aria-hidden="true" className="size-3.5" />
          {isEvaluating
            ? t(silentMs < DOUBTFUL_MS ? 'recovery.evaluating' : 'recovery.noData', {
                time: formatElapsed(silentMs),
                limit: formatElapsed(givesUpAfterSeconds * 1_000),
              })
            : t('recovery.silent', { time })}
        </span>
        <Button size="sm" onClick={isEvaluating ? actions.stop : actions.retryNow}>
          {t(isEvaluating ? 'action.stop' : 'action.retry')}
        </Button>
      </div>
    );
  if (hasOutput) return undefined;
  return (
    <p className="breathing text-ink-faint tabular-nums">
      {silentMs < NOTICED_MS ? t('timeline.working') : t('recovery.workingFor', { time })}
    </p>
  );
}
