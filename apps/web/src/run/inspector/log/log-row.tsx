/** One event: time, level, type and text. */
import type { RunEvent } from '@crewagent/protocol/events';
import { levelOf, summaryOf } from '@crewagent/protocol/story/describe-event';
import { CircleAlert, Dot, Minus, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import { formatClock } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { CodeBlock } from '../../../ui/code/code-block.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { useOpenRows } from '../../open-rows.ts';

export const LogRow = memo(function LogRow({ event }: { readonly event: RunEvent }) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  const key = String(event.seq);
  const { Icon, look } = LEVELS[levelOf(event)];
  return (
    <Fold
      isOpen={isOpen(key)}
      onToggle={() => toggle(key)}
      summary={
        <>
          <time dateTime={event.ts} className="shrink-0 text-xs text-ink-faint tabular-nums">
            {formatClock(event.ts)}
          </time>
          <Icon
            aria-label={t(`inspector.logs.levelName.${levelOf(event)}`)}
            className={`size-3.5 shrink-0 ${look}`}
          />
          <span className="shrink-0 font-mono text-xs text-ink">{event.type}</span>
          <bdi className="min-w-0 truncate text-xs text-ink-faint">{toShownLine(summaryOf(event))}</bdi>
        </>
      }
    >
      {() => (
        <CodeBlock
          text={JSON.stringify(event, null, 2)}
          label={t('inspector.logs.event', { number: event.seq })}
          title={t('inspector.logs.event', { number: event.seq })}
          language="json"
          wraps
        />
      )}
    </Fold>
  );
});

const LEVELS = {
  detail: { Icon: Minus, look: 'text-ink-faint' },
  info: { Icon: Dot, look: 'text-ink-soft' },
  warning: { Icon: TriangleAlert, look: 'text-warn' },
  error: { Icon: CircleAlert, look: 'text-bad' },
} as const;
