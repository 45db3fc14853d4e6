/** Messages: a reply of the model, with its reasoning folded above, and what the user wrote. */
import type { ItemOf } from '@crewagent/protocol/story/items';
import { Clock3, Scissors } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { formatDateTime, formatDuration, formatTime } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { toShownPart } from '../../../ui/code/code-block.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { toShownProse } from '../../../ui/sanitize-text.ts';
import { useOpenRows } from '../../open-rows.ts';

interface ReplyRowProps {
  readonly rowKey: string;
  readonly item: Pick<ItemOf<'reply'>, 'text' | 'reasoning' | 'thoughtMs' | 'isPartial'>;
  readonly isStreaming?: boolean;
  /** For a streaming reply: time since the last output. */
  readonly clock?: ReactNode;
  /** A part of a reply that is not its first. */
  readonly isContinued?: boolean;
  /** Another part follows. */
  readonly isContinuing?: boolean;
}

export function ReplyRow(props: ReplyRowProps) {
  const { rowKey, item, isStreaming = false, clock, isContinued = false, isContinuing = false } = props;
  const { t } = useTranslation();
  const { text, reasoning, thoughtMs, isPartial } = item;
  const { isOpen, toggle } = useOpenRows();
  const isThinking = isStreaming && text === '';
  return (
    <article
      data-continued={isContinued || undefined}
      className={classNames('flow-root', !isContinued && 'pt-2.5', !isContinuing && 'pb-2.5')}
      aria-busy={isStreaming || undefined}
    >
      {isContinued ? undefined : <h4 className="sr-only">{t('timeline.reply')}</h4>}
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

interface PersonRowProps {
  readonly item: ItemOf<'person'>;
  /** Sent, but not yet included in a turn. */
  readonly isQueued?: boolean;
  /** Removes a queued message, to edit it or to drop it. */
  readonly onWithdraw?: (isEdited: boolean) => void;
}

export function PersonRow({ item, isQueued = false, onWithdraw }: PersonRowProps) {
  const { t } = useTranslation();
  const [chars, setChars] = useState(FIRST_CHARS);
  const { text, hiddenChars } = toShownPart(item.text, chars);
  return (
    <article className="group flex flex-col items-end gap-1 py-3">
      <h4 className="sr-only">{t('timeline.you')}</h4>
      <div className="max-w-[min(36rem,88%)] rounded-xl rounded-ee-sm bg-person px-3.5 py-2 text-md whitespace-pre-wrap wrap-anywhere">
        {toShownProse(text)}
        {hiddenChars > 0 ? (
          <button
            type="button"
            className="block rounded-sm text-sm text-accent-text"
            onClick={() => setChars(Number.MAX_SAFE_INTEGER)}
          >
            {t('text.showAll')}
          </button>
        ) : undefined}
      </div>
      <p className="flex items-center gap-1 pe-1 text-xs text-ink-faint">
        {isQueued ? (
          <>
            <Clock3 aria-hidden="true" className="size-3" />
            {t('timeline.queued')}
            {onWithdraw ? (
              <>
                <Button size="sm" kind="quiet" onClick={() => onWithdraw(true)}>
                  {t('action.edit')}
                </Button>
                <Button size="sm" kind="quiet" onClick={() => onWithdraw(false)}>
                  {t('queue.remove')}
                </Button>
              </>
            ) : undefined}
          </>
        ) : (
          <time dateTime={item.ts} title={formatDateTime(item.ts)}>
            {formatTime(item.ts)}
          </time>
        )}
      </p>
    </article>
  );
}

const FIRST_CHARS = 4_000;
