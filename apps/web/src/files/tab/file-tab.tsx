/** A file in a tab: header, notices and content by its kind. */

import { ApiError } from '@crewagent/protocol/api/client';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useCommands } from '../../palette/commands.ts';
import { useWantsFocus } from '../../state/open-files.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useIsNarrow } from '../../ui/use-media.ts';
import { nameOf } from '../paths.ts';
import { useFileWatch } from '../use-file-watch.ts';
import { FileBody } from './file-body.tsx';
import { FileHeader } from './file-header.tsx';
import { FileNotShown } from './file-not-shown.tsx';
import { FileNotes } from './file-notes.tsx';
import { viewsOf } from './file-views.ts';
import { type OpenedFile, toText, useFile } from './use-file.ts';
import { useView } from './view-choice.ts';

interface FileTabProps {
  readonly projectId: string;
  readonly path: string;
}

export default function FileTab({ projectId, path }: FileTabProps) {
  // Remounted per file, so that one file's text is never shown under another's name.
  return <OneFile key={`${projectId}\n${path}`} projectId={projectId} path={path} />;
}

function OneFile({ projectId, path }: FileTabProps) {
  useFileWatch(projectId);
  const file = useFile(projectId, path);
  useSaveCommand(file);
  const isNarrow = useIsNarrow();
  const views = viewsOf(nameOf(path), file.content);
  const [chosen, setView] = useView(views, file.text === '');
  // The side-by-side view needs a wide window.
  const view = isNarrow && chosen === 'both' ? 'write' : chosen;
  const hasContent = file.content !== undefined || file.error !== null;
  // The editor takes the focus when it is loaded.
  const isWritten = file.content !== undefined && (view === 'write' || view === 'both');
  const body = useContentFocus(projectId, path, hasContent && !isWritten);
  return (
    <div className="flex h-full min-h-0 flex-col bg-surface">
      <FileHeader
        projectId={projectId}
        path={path}
        file={file}
        views={views.filter((each) => each !== 'both' || !isNarrow)}
        view={view}
        onView={setView}
      />
      <FileNotes projectId={projectId} path={path} file={file} />
      <div ref={body} tabIndex={-1} className="min-h-0 grow outline-none">
        <Content projectId={projectId} path={path} file={file} view={view} />
      </div>
    </div>
  );
}

/** Registers the Save command, so that it works wherever the focus is, such as in the tree. */
function useSaveCommand({ standing, save }: OpenedFile): void {
  const { t } = useTranslation();
  const latest = useRef({ standing, save });
  latest.current = { standing, save };
  useCommands(
    useMemo(
      () => [
        {
          id: 'save',
          title: t('action.save'),
          group: t('rail.files'),
          shortcut: 'Mod+S',
          run: () => {
            if (latest.current.standing === 'unsaved') latest.current.save();
          },
        },
      ],
      [t],
    ),
  );
}

/** Moves the focus to the content when that was requested. */
function useContentFocus(projectId: string, path: string, isReady: boolean) {
  const body = useRef<HTMLDivElement>(null);
  const [isWanted, end] = useWantsFocus(projectId, path);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per request
  useEffect(() => {
    if (!isWanted || !isReady) return;
    const inside = body.current?.querySelector<HTMLElement>('[tabindex="0"]');
    (inside ?? body.current)?.focus();
    end();
  }, [isWanted, isReady]);
  return body;
}

interface ContentProps extends FileTabProps {
  readonly file: OpenedFile;
  readonly view: ReturnType<typeof useView>[0];
}

function Content({ projectId, path, file, view }: ContentProps) {
  const { content, error, draft, standing } = file;
  if (standing === 'gone' && !draft && !toText(content)) return undefined;
  if (!content && !draft) {
    if (!error) return <Skeleton className="m-4 h-40" />;
    return <ReadErrorNote error={error} onRetry={file.retry} />;
  }
  if (!content || content.isTooLarge || content.kind === 'binary') {
    if (!draft) return <FileNotShown projectId={projectId} path={path} content={content} view={view} />;
  }
  return <FileBody projectId={projectId} path={path} file={file} view={view} />;
}

function ReadErrorNote({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  const { t } = useTranslation();
  const isSecret = error instanceof ApiError && error.code === 'PermissionDenied';
  return (
    <div className="mx-auto max-w-xl p-4 sm:p-8">
      <ErrorNote
        issue={error}
        level={isSecret ? 'warning' : 'error'}
        title={t(isSecret ? 'files.secretTitle' : 'files.unreadableTitle')}
        actions={
          <Button size="sm" onClick={onRetry}>
            {t('action.retry')}
          </Button>
        }
      />
    </div>
  );
}
