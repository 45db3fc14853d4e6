/** A request to the model that failed and is sent again: why, when, and a way not to wait. */
import type { ItemOf } from '@crewagent/protocol/timeline';
import { RotateCw } from 'lucide-react';
import { formatDuration } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { toProblemLine, useProblemWords } from '../../../ui/errors/problem-words.ts';
import { useNow } from '../../../ui/use-now.ts';
import { QuietRow } from './quiet-row.tsx';

interface RetryRowProps {
  readonly item: ItemOf<'notice'>;
  /** How often it happened in a row. */
  readonly tries: number;
  /** Sends the request now; undefined where it was sent since. */
  readonly onRetryNow: (() => void) | undefined;
}

export function RetryRow({ item, tries, onRetryNow }: RetryRowProps) {
  const { t } = useTranslation();
  const words = useProblemWords(item);
  const { retryDelayMs = 0 } = item;
  const nowMs = useNow(onRetryNow !== undefined);
  const leftMs = Math.min(retryDelayMs, Date.parse(item.ts) + retryDelayMs - nowMs);
  const counted = tries > 1 ? `${t('timeline.tries', { count: tries })} · ` : '';
  if (!onRetryNow)
    return (
      <QuietRow icon={<RotateCw aria-hidden="true" />}>
        {tries > 1 ? `${counted}${words.title}` : toProblemLine(words)}
      </QuietRow>
    );
  const seconds = Math.ceil(leftMs / 1_000);
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <QuietRow icon={<RotateCw aria-hidden="true" />}>
        {counted}
        {words.title} {/* Once is enough for those who hear the page. */}
        <span aria-hidden="true" className="tabular-nums">
          {seconds > 0
            ? t('recovery.retryIn', { time: formatDuration(seconds * 1_000) })
            : t('recovery.retryingNow')}
        </span>
      </QuietRow>
      {seconds > 1 ? (
        <Button size="sm" onClick={onRetryNow}>
          {t('recovery.tryNow')}
        </Button>
      ) : undefined}
    </div>
  );
}
