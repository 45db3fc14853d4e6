/** The outline of a document: beside it where there is room, else folded above it. Leads to a heading and shows the current one. */
import { type RefObject, useEffect, useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { classNames } from '../../ui/class-names.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import type { OutlineHeading } from './to-outline.ts';

interface OutlineProps {
  readonly headings: readonly OutlineHeading[];
  /** The element that scrolls the document. */
  readonly scroller: RefObject<HTMLElement | null>;
}

export function Outline({ headings, scroller }: OutlineProps) {
  const { t } = useTranslation();
  const current = useCurrentHeading(headings, scroller);
  const goTo = (index: number): void => {
    const heading = headingsIn(scroller.current)[index];
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: 'start' });
  };
  const list = (
    <ul className="flex flex-col">
      {headings.map(({ index, level, title }) => (
        <li key={index}>
          <button
            type="button"
            aria-current={index === current ? 'location' : undefined}
            onClick={() => goTo(index)}
            className={classNames(
              'w-full truncate border-s-2 py-1 pe-2 text-start text-sm hover:text-ink',
              INDENTS[level],
              index === current ? 'border-accent-text font-medium text-ink' : 'border-line text-ink-faint',
            )}
          >
            {toShownLine(title)}
          </button>
        </li>
      ))}
    </ul>
  );
  return (
    <>
      <details className="rounded-md border bg-canvas px-3 py-1.5 @5xl:hidden print:hidden">
        <summary className="rounded-sm text-sm font-medium text-ink-soft">{t('files.outline')}</summary>
        <div className="pt-1.5">{list}</div>
      </details>
      <nav
        aria-label={t('files.outline')}
        className="sticky top-0 hidden max-h-[calc(100vh-10rem)] w-56 shrink-0 self-start overflow-y-auto @5xl:block print:hidden"
      >
        <p aria-hidden="true" className="pb-1.5 text-xs font-medium text-ink-faint">
          {t('files.outline')}
        </p>
        {list}
      </nav>
    </>
  );
}

const INDENTS: Readonly<Record<number, string>> = { 1: 'ps-3', 2: 'ps-6', 3: 'ps-9' };

function headingsIn(scroller: HTMLElement | null): readonly HTMLElement[] {
  return [...(scroller?.querySelectorAll<HTMLElement>(HEADINGS) ?? [])];
}

const HEADINGS = '.prose > :is(h1, h2, h3, h4, h5, h6)';

/** The last heading above the upper third of the visible part. */
function useCurrentHeading(
  headings: readonly OutlineHeading[],
  scroller: RefObject<HTMLElement | null>,
): number | undefined {
  const [current, setCurrent] = useState<number>();
  useEffect(() => {
    const { current: box } = scroller;
    if (!box) return undefined;
    const update = (): void => {
      const elements = headingsIn(box);
      const limit = box.getBoundingClientRect().top + box.clientHeight / 3;
      const above = headings.filter(({ index }) => {
        const top = elements[index]?.getBoundingClientRect().top;
        return top !== undefined && top <= limit;
      });
      setCurrent((above.at(-1) ?? headings[0])?.index);
    };
    update();
    box.addEventListener('scroll', update, { passive: true });
    return () => box.removeEventListener('scroll', update);
  }, [headings, scroller]);
  return current;
}
