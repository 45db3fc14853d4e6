/** Stands for items that are not loaded. They are loaded when it comes into view, or with its button. */
import { ChevronsUp } from 'lucide-react';
import { createContext, useContext, useEffect, useRef } from 'react';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { Button } from '../../../ui/button.tsx';

/** Whether the user has scrolled up: the first frames of a timeline are not at its end yet. */
export const ScrolledUpContext = createContext(false);

interface EarlierRowProps {
  readonly count: number;
  readonly onLoad: () => void;
}

export function EarlierRow({ count, onLoad }: EarlierRowProps) {
  const { t } = useTranslation();
  const isScrolledUp = useContext(ScrolledUpContext);
  const row = useRef<HTMLDivElement>(null);
  const load = useRef(onLoad);
  load.current = onLoad;
  // Observed anew for each page: a row that stays in view is not reported again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the count changes with each page
  useEffect(() => {
    if (!isScrolledUp || !row.current) return undefined;
    const observer = new IntersectionObserver(([seen]) => {
      if (seen?.isIntersecting) load.current();
    });
    observer.observe(row.current);
    return () => observer.disconnect();
  }, [isScrolledUp, count]);
  return (
    <div ref={row} className="flex justify-center py-2">
      <Button
        size="sm"
        kind="quiet"
        icon={<ChevronsUp aria-hidden="true" className="size-3.5" />}
        onClick={onLoad}
      >
        {t('timeline.earlier', { count })}
      </Button>
    </div>
  );
}
