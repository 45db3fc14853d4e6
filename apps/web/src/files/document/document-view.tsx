/** A Markdown document to read, with its outline from three headings on, and the images and links of its project. */
import { useDeferredValue, useMemo, useRef } from 'react';
import { FileLinks } from '../../api/file-links.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Markdown, withoutFrontmatter } from '../../ui/markdown/markdown.tsx';
import { parentOf } from '../paths.ts';
import { Outline } from './outline.tsx';
import { toOutline } from './to-outline.ts';

interface DocumentViewProps {
  readonly projectId: string;
  readonly path: string;
  readonly text: string;
}

const MIN_HEADINGS = 3;

export function DocumentView({ projectId, path, text }: DocumentViewProps) {
  const { t } = useTranslation();
  const scroller = useRef<HTMLElement>(null);
  const body = useMemo(() => withoutFrontmatter(text), [text]);
  const read = useDeferredValue(body, '');
  const outline = useMemo(() => toOutline(read), [read]);
  return (
    <section
      ref={scroller}
      aria-label={t('files.reading')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
      tabIndex={0}
      className="@container h-full overflow-auto overscroll-contain px-5 py-5 text-md -outline-offset-2 sm:px-8"
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-4 @5xl:max-w-none @5xl:flex-row-reverse @5xl:justify-center @5xl:gap-10">
        {outline.length >= MIN_HEADINGS ? <Outline headings={outline} scroller={scroller} /> : undefined}
        <div data-document className="min-w-0 max-w-3xl @5xl:w-[48rem]">
          <FileLinks projectId={projectId} folder={parentOf(path)}>
            <Markdown text={body} />
          </FileLinks>
        </div>
      </div>
    </section>
  );
}
