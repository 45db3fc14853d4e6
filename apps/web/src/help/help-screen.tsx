/** Help for users, and the guide for authors: the same files as in docs, in the language of the page, without a network. */
import { useQuery } from '@tanstack/react-query';
import { BookOpen } from 'lucide-react';
import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { FOREVER } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate, type Route, toPath } from '../navigation/router.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Select } from '../ui/forms/input.tsx';
import {
  FileImageContext,
  type FileImageProps,
  FileLinkContext,
  type FileLinkProps,
} from '../ui/markdown/file-links.ts';
import { Markdown } from '../ui/markdown/markdown.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useIsNarrow } from '../ui/use-media.ts';
import {
  AUTHORS_PAGE,
  FIRST_PAGE,
  isGuidePage,
  listGuidePages,
  loadGuidePage,
  pictureUrl,
} from './guide-pages.ts';

export default function HelpScreen({ page = FIRST_PAGE }: { readonly page?: string | undefined }) {
  const { t } = useTranslation();
  const isNarrow = useIsNarrow();
  const contents = useGuidePage(AUTHORS_PAGE);
  const { data: text, isLoading } = useGuidePage(page);
  const entries = [
    { page: FIRST_PAGE, title: t('help.using') },
    { page: AUTHORS_PAGE, title: t('help.authors') },
    ...(contents.data ? listGuidePages(contents.data) : []),
  ];
  const top = useTop(page);
  return (
    <div ref={top} className="h-full overflow-auto bg-canvas [scrollbar-gutter:stable]">
      <div className={isNarrow ? 'flex flex-col gap-4 p-4' : 'page-column flex gap-10'}>
        {isNarrow ? (
          <Select
            aria-label={t('help.pages')}
            value={page}
            onChoose={(next) => go(next)}
            options={entries.map((entry) => ({ value: entry.page, label: entry.title }))}
          />
        ) : (
          <nav aria-label={t('help.pages')} className="sticky top-10 w-56 shrink-0 self-start">
            <p className="pb-3 text-xl font-semibold tracking-tight">{t('rail.help')}</p>
            <ul className="flex flex-col gap-px">
              {entries.map((entry, index) => (
                // Those of the guide for authors are below its contents.
                <li key={entry.page} className={index > 1 ? 'ps-3' : undefined}>
                  <PageLink
                    page={entry.page}
                    isCurrent={entry.page === page}
                    className="block rounded-md px-2.5 py-1 text-ink-soft hover:bg-hover hover:text-ink aria-[current]:bg-hover aria-[current]:font-medium aria-[current]:text-ink"
                  >
                    {entry.title}
                  </PageLink>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <article className="min-w-0 max-w-2xl grow pb-16">
          {text === undefined ? (
            isLoading ? (
              <Skeleton className="h-60" />
            ) : (
              <EmptyState icon={<BookOpen />} title={t('help.none')}>
                {t('help.noneText')}
              </EmptyState>
            )
          ) : (
            <FileLinkContext value={GuideLink}>
              <FileImageContext value={GuidePicture}>
                <Markdown text={withoutOtherLanguage(text)} />
              </FileImageContext>
            </FileLinkContext>
          )}
        </article>
      </div>
    </div>
  );
}

function useGuidePage(page: string) {
  const { i18n } = useTranslation();
  const { language } = i18n;
  return useQuery({
    queryKey: ['guide', language, page],
    queryFn: async () => (await loadGuidePage(page, language)) ?? null,
    ...FOREVER,
    select: (text) => text ?? undefined,
  });
}

/** A new page begins at its top. */
function useTop(page: string) {
  const top = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of each page
  useEffect(() => {
    top.current?.scrollTo({ top: 0 });
  }, [page]);
  return top;
}

/** The link to the other language: the page has its own setting for it. */
function withoutOtherLanguage(text: string): string {
  return text.replace(/^\[(?:中文|English)\]\([^)]*\)\n/m, '');
}

function routeOf(page: string): Route {
  return page === FIRST_PAGE ? { name: 'help' } : { name: 'help', page };
}

function go(page: string): void {
  navigate(routeOf(page));
}

interface PageLinkProps {
  readonly page: string;
  readonly isCurrent?: boolean;
  readonly className: string;
  readonly children: ReactNode;
}

function PageLink({ page, isCurrent = false, className, children }: PageLinkProps) {
  const open = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(page);
  };
  return (
    <a
      href={toPath(routeOf(page))}
      aria-current={isCurrent ? 'page' : undefined}
      className={className}
      onClick={open}
    >
      {children}
    </a>
  );
}

/** Links to files outside of the guide are shown as text: they are in the repository. */
function GuideLink({ path, children }: FileLinkProps) {
  const page = /([\w-]+)\.md$/.exec(path)?.[1];
  if (page === undefined || !isGuidePage(page) || /\.\.\/(?!README|[\w-]+\.md$)/.test(path)) return children;
  return (
    <PageLink page={page} className="text-accent-text underline">
      {children}
    </PageLink>
  );
}

function GuidePicture({ path, name, children }: FileImageProps) {
  const url = pictureUrl(path);
  return url === undefined ? children : <img src={url} alt={name} className="w-full rounded-lg border" />;
}
