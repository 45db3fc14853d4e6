/** How much of a preview was not on screen yet, with a button that leads there. Keeps its height when everything was. */
import { ArrowDown, Check } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { formatNumber } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';

interface ViewProgressProps {
  readonly unseen: number;
  readonly lines: number;
  readonly onNext: () => void;
  /** What cannot be viewed here at all. */
  readonly cut?: ReactNode;
}

export function ViewProgress({ unseen, lines, onNext, cut }: ViewProgressProps) {
  const { t } = useTranslation();
  const isDone = unseen === 0;
  const text = useRef<HTMLParagraphElement>(null);
  const isOnButton = useRef(false);
  useLayoutEffect(() => {
    // The button is gone; the next thing in the order of the Tab key is near.
    if (isDone && isOnButton.current) text.current?.focus();
  }, [isDone]);
  return (
    <div className="flex min-h-9.5 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-t px-4 py-1.5 text-sm">
      {isDone && cut ? undefined : (
        <p
          ref={text}
          tabIndex={-1}
          className={`flex items-center gap-1.5 tabular-nums outline-none ${isDone ? 'text-ok' : 'text-warn'}`}
        >
          {isDone ? <Check className="size-4" /> : undefined}
          {isDone
            ? t('approval.allViewed', { count: lines, lines: formatNumber(lines) })
            : t('approval.notViewed', {
                count: lines,
                unseen: formatNumber(unseen),
                lines: formatNumber(lines),
              })}
        </p>
      )}
      {isDone ? undefined : (
        <Button
          size="sm"
          icon={<ArrowDown className="size-3.5" />}
          onFocus={() => {
            isOnButton.current = true;
          }}
          onBlur={() => {
            isOnButton.current = false;
          }}
          onClick={onNext}
        >
          {t('approval.nextUnseen')}
        </Button>
      )}
      {cut}
      <span role="status" className="sr-only">
        {isDone && !cut ? t('approval.canAllow') : ''}
      </span>
    </div>
  );
}
