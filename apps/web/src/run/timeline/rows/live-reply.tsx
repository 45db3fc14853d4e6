/** The reply that is being written: all that is drawn anew with each of its words, and how long the model has been silent. */

import { SLOW_START_SECONDS } from '@crewagent/protocol/model';
import type { Story } from '@crewagent/protocol/story/story';
import { Hourglass } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { formatDuration, formatElapsed } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { Observable, ShownStory, Words } from '../../../state/conversation-store.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { useNow } from '../../../ui/use-now.ts';
import { ReplyRow } from './message-rows.tsx';
import type { TimelineActions } from './timeline-row.tsx';

interface LiveReplyProps {
  readonly words: Observable<Words | undefined>;
  readonly active: ShownStory;
  readonly actions: TimelineActions;
}

export function LiveReply({ words, active, actions }: LiveReplyProps) {
  const said = useSyncExternalStore(words.subscribe, words.read);
  const { text = '', reasoning } = said ?? {};
  const isEvaluating = said === undefined && (active.firstByteSeconds ?? 0) >= SLOW_START_SECONDS;
  const since = `${active.updatedAt} ${text.length} ${reasoning?.length}`;
  return (
    <ReplyRow
      rowKey="streaming"
      item={{ text, reasoning }}
      isStreaming
      clock={
        <ReplyClock
          key={since}
          hasOutput={text !== '' || reasoning !== undefined}
          givesUpAfterSeconds={isEvaluating ? active.firstByteSeconds : undefined}
          startedAt={toStart(active, text, isEvaluating)}
          actions={actions}
        />
      }
    />
  );
}

/**
 * Before the first delta the clock starts at the request, also at one that will be retried; the view has no time of later
 * deltas.
 */
function toStart(
  { updatedAt, turnStartedAt, timeline }: Readonly<Story>,
  text: string,
  isEvaluating: boolean,
): string | undefined {
  const last = timeline.at(-1);
  if (last?.kind === 'notice' && last.retryDelayMs !== undefined && last.ts === updatedAt)
    return new Date(Date.parse(last.ts) + last.retryDelayMs).toISOString();
  // What is queued meanwhile does not make it begin anew.
  if (isEvaluating && turnStartedAt !== undefined) return turnStartedAt;
  return text === '' ? updatedAt : undefined;
}

interface ReplyClockProps {
  /** Part of the reply or of its reasoning has arrived, which says itself that the model works. */
  readonly hasOutput: boolean;
  /** When the silence began; the time of mounting if omitted. */
  readonly startedAt: string | undefined;
  /** Of a local model: it sends nothing until it has read the whole prompt, and would begin anew if it was asked again. */
  readonly givesUpAfterSeconds: number | undefined;
  readonly actions: Pick<TimelineActions, 'retryNow' | 'stop'>;
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
