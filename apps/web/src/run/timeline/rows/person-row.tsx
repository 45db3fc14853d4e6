/** A message of the user. */
import type { ItemOf } from '@crewagent/protocol/story/items';
import { Clock3 } from 'lucide-react';
import { useState } from 'react';
import { formatDateTime, formatTime } from '../../../i18n/format.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';
import { toShownPart } from '../../../ui/code/code-block.tsx';
import { toShownProse } from '../../../ui/sanitize-text.ts';

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
