/** What a search found in the messages and files of a project's Works, below those that are found by their title. */
import type { Snippet } from '@crewagent/protocol/api/search';
import { useTextSearch } from '../../api/search-queries.ts';
import { formatWhen } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { MarkedText } from '../../ui/marked-text.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { openFound } from '../open-found.ts';

export default function TextResults({
  projectId,
  text,
}: {
  readonly projectId: string;
  readonly text: string;
}) {
  const { t } = useTranslation();
  const { data, error } = useTextSearch(text, projectId);
  const works = (data?.works ?? [])
    .map((work) => ({ ...work, snippets: work.snippets.filter(({ kind }) => kind !== 'title') }))
    .filter(({ snippets }) => snippets.length > 0);
  return (
    <section aria-label={t('works.inText')} className="mt-2 border-t pt-1">
      <h3 className="px-2 pt-2 pb-1 text-xs font-medium text-ink-faint">{t('works.inText')}</h3>
      {data || error ? undefined : <Skeleton className="m-1 h-12" />}
      <ErrorNote issue={error ?? undefined} />
      <p role="status" className="px-2 pb-1 text-xs text-ink-faint empty:hidden">
        {data && data.indexed < data.total && !data.isFull
          ? t('works.reading', { done: data.indexed, total: data.total })
          : data && works.length === 0
            ? t('works.noText')
            : ''}
      </p>
      <ul className="flex flex-col gap-0.5">
        {works.flatMap((work) =>
          work.snippets.map((snippet) => (
            <li key={`${snippet.runId} ${snippet.kind} ${snippet.seq} ${snippet.path ?? ''}`}>
              <button
                type="button"
                data-list-item
                onClick={() => openFound(work, snippet)}
                className="w-full rounded-md px-2 py-1.5 text-start -outline-offset-2 hover:bg-hover"
              >
                <span className="flex gap-2 text-xs text-ink-faint">
                  <span className="min-w-0 truncate">{toShownLine(nameOf(work.title, snippet))}</span>
                  <span className="ms-auto shrink-0">{formatWhen(work.updatedAt)}</span>
                </span>
                <span className="line-clamp-2 text-sm text-ink-soft wrap-anywhere">
                  <MarkedText {...snippet} />
                </span>
              </button>
            </li>
          )),
        )}
      </ul>
    </section>
  );
}

/** The title of the Work, and the file. */
function nameOf(title: string, { path }: Snippet): string {
  return path === undefined ? title : `${title} · ${path.replace(/^@project\//, '')}`;
}
