/** A reply of the model, with its reasoning folded above. */

import { Scissors } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatDuration } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Fold } from '../../../ui/fold.tsx';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { useOpenRows } from '../../open-rows.ts';

interface ReplyRowProps {
  readonly rowKey: string;
  readonly text: string;
  readonly reasoning: string | undefined;
  /** Duration of the reasoning, if known. */
  readonly thoughtMs?: number | undefined;
  readonly isStreaming: boolean;
  /** For a streaming reply: time since the last output. */
  readonly clock?: ReactNode;
  /** The reply was cut off. */
  readonly isPartial?: boolean | undefined;
}

export function ReplyRow({
  rowKey,
  text,
  reasoning,
  thoughtMs,
  isStreaming,
  isPartial,
  clock,
}: ReplyRowProps) {
  const { t } = useTranslation();
  const { isOpen, toggle } = useOpenRows();
  const isThinking = isStreaming && text === '';
  return (
    <article className="py-2.5" aria-busy={isStreaming || undefined}>
      <h4 className="sr-only">{t('timeline.reply')}</h4>
      {reasoning ? (
        <Fold
          isOpen={isOpen(rowKey)}
          onToggle={() => toggle(rowKey)}
          className="-ms-1.5 mb-1"
          summary={
            <span className={`text-sm ${isThinking ? 'breathing' : ''}`}>
              {isThinking ? t('timeline.thinking') : <Thought ms={thoughtMs} />}
            </span>
          }
        >
          {() => (
            <div className="border-s-2 ps-3 text-ink-soft">
              <Markdown text={reasoning} isStreaming={isThinking} />
            </div>
          )}
        </Fold>
      ) : undefined}
      {text === '' ? undefined : <Markdown text={text} isStreaming={isStreaming} />}
      {isPartial ? (
        <p className="mt-1.5 flex items-center gap-1.5 text-sm text-ink-faint">
          <Scissors aria-hidden="true" className="size-3.5 shrink-0" />
          {t('event.cutOff')}
        </p>
      ) : undefined}
      {clock}
    </article>
  );
}

function Thought({ ms }: { readonly ms: number | undefined }) {
  const { t } = useTranslation();
  if (ms === undefined || ms < 1_000) return t('timeline.thought');
  return t('timeline.thoughtFor', { time: formatDuration(Math.round(ms / 1_000) * 1_000) });
}
