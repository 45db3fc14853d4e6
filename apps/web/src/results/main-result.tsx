/** The main result of a run, to be read where the run ended: the start of a document, a picture, or the first lines of a text. */
import { useMemo } from 'react';
import { FileLinks } from '../api/file-links.tsx';
import { useFileVersion } from '../api/files-queries.ts';
import { FileIcon, kindOf } from '../files/file-kinds.tsx';
import { nameOf, parentOf, withoutMount } from '../files/paths.ts';
import { PictureView } from '../files/previews/picture-view.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { openFile } from '../state/open-files.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code/code-block.tsx';
import { Markdown, withoutFrontmatter } from '../ui/markdown/markdown.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';

interface MainResultProps {
  readonly projectId: string;
  readonly path: string;
  /** Changes with every change that the run makes to it. */
  readonly version: string;
  /** Whether opening it is the next thing to do. */
  readonly isNext: boolean;
}

export function MainResult({ projectId, path, version, isNext }: MainResultProps) {
  const { t } = useTranslation();
  const name = toShownLine(nameOf(path));
  const open = (): void => openFile(projectId, path, { takesFocus: true });
  return (
    <article aria-label={t('after.main', { name })} className="overflow-clip rounded-lg border bg-surface">
      <header className="flex items-center gap-2 border-b px-3 py-2">
        <FileIcon name={nameOf(path)} />
        <span className="flex min-w-0 grow items-baseline gap-2">
          <bdi className="truncate font-semibold">{name}</bdi>
          <bdi className="min-w-0 shrink-[3] truncate text-xs text-ink-faint">
            {toShownLine(withoutMount(parentOf(path)))}
          </bdi>
        </span>
        <Button
          size="sm"
          kind={isNext ? 'primary' : 'plain'}
          aria-label={t('changes.named', { action: t('after.openMain'), path: name })}
          onClick={open}
        >
          {t('after.openMain')}
        </Button>
      </header>
      <Preview projectId={projectId} path={path} version={version} />
    </article>
  );
}

/** What follows is read in the file's own tab. */
const MAX_CHARS = 6_000;

function Preview({ projectId, path, version }: Omit<MainResultProps, 'isNext'>) {
  const { t } = useTranslation();
  const { data: content, error } = useFileVersion(projectId, path, version);
  const kind = kindOf(nameOf(path));
  const text = content && !content.isTooLarge && content.kind === 'text' ? content.text : undefined;
  const shown = useMemo(
    () => (kind === 'markdown' ? toStart(withoutFrontmatter(text ?? '')) : (text ?? '').slice(0, MAX_CHARS)),
    [text, kind],
  );
  if (error) return <p className="px-4 py-3 text-ink-soft">{t('after.unreadable')}</p>;
  if (!content) return <Skeleton className="m-3 h-48" />;
  if (kind === 'image')
    return (
      <div className="h-64">
        <PictureView projectId={projectId} path={path} content={content} />
      </div>
    );
  if (shown.trim() === '') return <p className="px-4 py-3 text-ink-soft">{t('after.noPreview')}</p>;
  return (
    <section
      aria-label={t('after.preview')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable with the keyboard
      tabIndex={0}
      className="max-h-56 overflow-y-auto overscroll-auto px-4 py-3 -outline-offset-2 sm:px-5"
    >
      {kind === 'markdown' ? (
        <FileLinks projectId={projectId} folder={parentOf(path)}>
          <Markdown text={shown} />
        </FileLinks>
      ) : (
        <CodeBlock text={shown} label={t('text.code')} wraps />
      )}
    </section>
  );
}

/** The start of a long document, cut between blocks. */
function toStart(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  const end = text.lastIndexOf('\n\n', MAX_CHARS);
  return `${text.slice(0, end > 0 ? end : MAX_CHARS)}\n\n…`;
}
