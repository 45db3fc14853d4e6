/** How long the model has been silent: nothing at first, then the time, then what can be done about it. */
import { Hourglass } from 'lucide-react';
import { useState } from 'react';
import { formatDuration, formatElapsed } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { useNow } from '../../../ui/use-now.ts';

interface ReplyClockProps {
  /** Part of the reply has arrived. */
  readonly hasText: boolean;
  /** When the silence began; the time of mounting if omitted. */
  readonly startedAt?: string;
  /** A local model: it sends nothing until it has read the whole prompt, and would begin anew if it was asked again. */
  readonly isEvaluating?: boolean;
  readonly onRetryNow: () => void;
  readonly onStop?: (() => void) | undefined;
}

/** Clock difference between page and server. */
const CLOCK_ERROR_MS = 500;
const NOTICED_MS = 5_000;
const LONG_MS = 20_000;

export function ReplyClock(props: ReplyClockProps) {
  const { hasText, startedAt, isEvaluating = false, onRetryNow, onStop } = props;
  const { t } = useTranslation();
  const [shownMs] = useState(() => Date.now());
  const nowMs = useNow(true);
  const sinceMs = startedAt === undefined ? shownMs : Date.parse(startedAt);
  const silentMs = Math.max(0, nowMs - sinceMs);
  // The request will be sent again in the future.
  if (sinceMs > nowMs + CLOCK_ERROR_MS) return undefined;
  if (isEvaluating && silentMs >= NOTICED_MS)
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1 text-sm text-ink-soft">
        <span className="flex items-center gap-2 tabular-nums">
          <Hourglass aria-hidden="true" className="size-3.5" />
          {t('recovery.evaluating', { time: formatElapsed(silentMs) })}
        </span>
        {onStop ? (
          <Button size="sm" onClick={onStop}>
            {t('action.stop')}
          </Button>
        ) : undefined}
      </div>
    );
  const time = formatDuration(Math.floor(silentMs / 1_000) * 1_000);
  if (silentMs >= LONG_MS)
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1 text-sm text-warn">
        <span className="flex items-center gap-2 tabular-nums">
          <Hourglass aria-hidden="true" className="size-3.5" />
          {t('recovery.silent', { time })}
        </span>
        <Button size="sm" onClick={onRetryNow}>
          {t('action.retry')}
        </Button>
      </div>
    );
  if (hasText) return undefined;
  return (
    <p className="breathing text-ink-faint tabular-nums">
      {silentMs < NOTICED_MS ? t('timeline.working') : t('recovery.workingFor', { time })}
    </p>
  );
}
