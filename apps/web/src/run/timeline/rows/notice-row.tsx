/** Notices: a request that is retried, warnings and errors with actions, the rest as a quiet line. */
import type { ItemOf } from '@crewagent/protocol/story/items';
import { RotateCw } from 'lucide-react';
import { formatDuration } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { toProblemLine, useProblemTexts } from '../../../ui/errors/error-texts.ts';
import { Note } from '../../../ui/note.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { QuietRow } from './quiet-row.tsx';

export function NoticeRow({ item }: { readonly item: ItemOf<'notice'> }) {
  const { t } = useTranslation();
  const texts = useProblemTexts(item);
  const title = texts.isKnown || item.level !== 'error' ? texts.title : t('timeline.notDone');
  if (item.level === 'info') return <QuietRow>{[title, texts.why].filter(Boolean).join(' · ')}</QuietRow>;
  return (
    <div className="my-2">
      <Note
        level={item.level}
        title={title}
        advice={texts.advice}
        details={{ label: t('text.code'), text: item.code }}
      >
        {texts.why === undefined ? undefined : <span lang={texts.whyLanguage}>{texts.why}</span>}
      </Note>
    </div>
  );
}

interface RetryRowProps {
  readonly item: ItemOf<'notice'>;
  /** Number of consecutive attempts. */
  readonly tries: number;
  /** Sends the request now; undefined once it was sent. */
  readonly onRetryNow: (() => void) | undefined;
}

export function RetryRow({ item, tries, onRetryNow }: RetryRowProps) {
  const { t } = useTranslation();
  const texts = useProblemTexts(item);
  const { retryDelayMs = 0 } = item;
  const nowMs = useNow(onRetryNow !== undefined);
  const leftMs = Math.min(retryDelayMs, Date.parse(item.ts) + retryDelayMs - nowMs);
  const counted = tries > 1 ? `${t('timeline.tries', { count: tries })} · ` : '';
  if (!onRetryNow)
    return (
      <QuietRow icon={<RotateCw aria-hidden="true" />}>
        {tries > 1 ? `${counted}${texts.title}` : toProblemLine(texts)}
      </QuietRow>
    );
  const seconds = Math.ceil(leftMs / 1_000);
  return (
    <div className="flex flex-wrap items-center gap-x-3">
      <QuietRow icon={<RotateCw aria-hidden="true" />}>
        {counted}
        {texts.title} {/* The countdown is hidden from screen readers, which announce the title once. */}
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
