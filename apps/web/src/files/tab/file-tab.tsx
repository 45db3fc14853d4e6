/** A file in a tab: header, notices and content by its kind. */
import { ApiError } from '@crewagent/protocol/api/client';
import type { FileContent } from '@crewagent/protocol/api/files';
import { Download, SquareArrowOutUpRight } from 'lucide-react';
import { lazy, Suspense, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useCanReveal } from '../../api/files-queries.ts';
import { formatBytes, formatDateTime } from '../../i18n/format.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useCommands } from '../../palette/commands.ts';
import { usePaneSizes } from '../../state/layout.ts';
import { useWantsFocus } from '../../state/open-files.ts';
import { useMay } from '../../state/team-server.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code/code-editor.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Facts } from '../../ui/facts.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SplitPanes } from '../../ui/split-panes.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useIsNarrow } from '../../ui/use-media.ts';
import { DocumentView } from '../document/document-view.tsx';
import { FileIcon, languageOf } from '../file-kinds.tsx';
import { nameOf } from '../paths.ts';
import { CsvTable } from '../previews/csv-table.tsx';
import { DrawingView, PictureView } from '../previews/picture-view.tsx';
import { useFileActions } from '../use-file-actions.ts';
import { useFileWatch } from '../use-file-watch.ts';
import { FileHeader } from './file-header.tsx';
import { FileNotes } from './file-notes.tsx';
import { type FileView, MAX_BYTES, useView, viewsOf } from './file-views.ts';
import { type OpenedFile, toText, useFile } from './use-file.ts';
import { useVersions } from './use-versions.ts';

interface FileTabProps {
  readonly projectId: string;
  readonly path: string;
}

export default function FileTab(props: FileTabProps) {
  // Remounted per file, so that one file's text is never shown under another's name.
  return <OneFile key={`${props.projectId}\n${props.path}`} {...props} />;
}

function OneFile({ projectId, path }: FileTabProps) {
  useFileWatch(projectId);
  const file = useFile(projectId, path);
  useSaveCommand(file);
  const isNarrow = useIsNarrow();
  const views = viewsOf(nameOf(path), file.content);
  const [chosen, setChosen] = useView(views, file.text === '');
  const versions = useVersions(projectId, path);
  // Not stored: the next file opens as its kind does.
  const [hasVersions, setVersions] = useState(false);
  const setView = (next: FileView): void => {
    setVersions(next === 'versions');
    if (next !== 'versions') setChosen(next);
  };
  // The side-by-side view needs a wide window.
  const usual = isNarrow && chosen === 'both' ? 'write' : chosen;
  const view = hasVersions && versions.length > 0 ? 'versions' : usual;
  const offered = [
    ...views.filter((each) => each !== 'both' || !isNarrow),
    ...(versions.length > 0 ? (['versions'] as const) : []),
  ];
  const hasContent = file.content !== undefined || file.error !== null;
  // The editor takes the focus when it is loaded.
  const isWritten = file.content !== undefined && (view === 'write' || view === 'both');
  const body = useContentFocus(projectId, path, hasContent && !isWritten);
  const shown = { projectId, path, file, view };
  return (
    <div className="flex h-full min-h-0 flex-col bg-surface">
      <FileHeader {...shown} views={offered} onView={setView} />
      <FileNotes projectId={projectId} path={path} file={file} />
      <div ref={body} tabIndex={-1} className="min-h-0 grow outline-none">
        {view === 'versions' ? (
          <Suspense fallback={<Skeleton className="m-4 h-40" />}>
            <VersionsView projectId={projectId} path={path} versions={versions} />
          </Suspense>
        ) : (
          <Content {...shown} />
        )}
      </div>
    </div>
  );
}

/** Registers the Save command, so that it works wherever the focus is, such as in the tree. */
function useSaveCommand(file: OpenedFile): void {
  const { t } = useTranslation();
  const latest = useRef(file);
  latest.current = file;
  const run = (): void => {
    if (latest.current.standing === 'unsaved') latest.current.save();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the command reads the latest file
  const commands = useMemo(
    () => [{ id: 'save', title: t('action.save'), group: t('rail.files'), shortcut: 'Mod+S', run }],
    [t],
  );
  useCommands(commands);
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
  readonly view: FileView;
}

function Content(props: ContentProps) {
  const { t } = useTranslation();
  const { content, error, draft, standing, retry } = props.file;
  if (standing === 'gone' && !draft && !toText(content)) return undefined;
  if (content && (content.isTooLarge || content.kind === 'binary') && !draft)
    return <FileNotShown {...props} content={content} />;
  if (content || draft) return <FileBody {...props} />;
  if (!error) return <Skeleton className="m-4 h-40" />;
  const isSecret = error instanceof ApiError && error.code === 'PermissionDenied';
  return (
    <div className="mx-auto max-w-xl p-4 sm:p-8">
      <ErrorNote
        issue={error}
        level={isSecret ? 'warning' : 'error'}
        title={t(isSecret ? 'files.secretTitle' : 'files.unreadableTitle')}
        actions={
          <Button size="sm" onClick={retry}>
            {t('action.retry')}
          </Button>
        }
      />
    </div>
  );
}

/** Content of a text file: editor, rendered text, table, image or page. */
function FileBody(props: ContentProps) {
  const { projectId, path, file, view } = props;
  const { t } = useTranslation();
  const sizes = usePaneSizes(projectId, 'write-read');
  const name = nameOf(path);
  // Typing has priority; the preview may lag behind.
  const text = useDeferredValue(file.text);
  const reading = <DocumentView projectId={projectId} path={path} text={text} />;
  switch (view) {
    case 'read':
      return reading;
    case 'both':
      return (
        <SplitPanes
          separatorLabel={t('shell.resize')}
          {...sizes}
          panes={[
            { id: 'write', minSize: '25%', content: <Writing {...props} /> },
            { id: 'read', minSize: '25%', content: reading },
          ]}
        />
      );
    case 'table':
      return <CsvTable name={name} text={text} />;
    case 'picture':
      return <DrawingView name={name} text={text} bytes={file.content?.bytes ?? 0} />;
    case 'page':
      return (
        <Suspense fallback={<Skeleton className="m-4 h-40" />}>
          <HtmlView label={t('files.page', { name: toShownLine(name) })} text={text} />
        </Suspense>
      );
    default:
      return <Writing {...props} />;
  }
}

const VersionsView = lazy(() => import('./versions-view.tsx'));
const HtmlView = lazy(() => import('../previews/html-view.tsx'));

function Writing({ projectId, path, file }: ContentProps) {
  const { t } = useTranslation();
  const name = nameOf(path);
  const [isWanted, end] = useWantsFocus(projectId, path);
  const mayRun = useMay(projectId, 'run');
  return (
    <CodeEditor
      label={t('files.text', { name: toShownLine(name) })}
      value={file.text}
      language={languageOf(name)}
      memoryKey={`${projectId}\n${path}`}
      isReadOnly={!mayRun}
      takesFocus={isWanted}
      onFocused={end}
      onChange={file.change}
      onSave={() => {
        if (file.standing === 'unsaved') file.save();
      }}
    />
  );
}

interface FileNotShownProps extends ContentProps {
  readonly content: FileContent;
}

/** A file that is not text: an image is shown, for others their properties. */
function FileNotShown({ projectId, path, content, view }: FileNotShownProps) {
  const { t } = useTranslation();
  const actions = useFileActions(projectId);
  const canReveal = useCanReveal();
  const act = useAction((work: (path: string) => Promise<void>) => work(path));
  if (view === 'picture') return <PictureView projectId={projectId} path={path} content={content} />;
  const { bytes, mime, modifiedAt, isTooLarge } = content;
  const canDownload = bytes <= MAX_BYTES;
  return (
    <div className="flex h-full flex-col items-center justify-center gap-4 overflow-auto p-6 text-center">
      <div aria-hidden="true" className="rounded-xl border bg-surface p-3 [&_svg]:size-6">
        <FileIcon name={nameOf(path)} />
      </div>
      <div className="max-w-md">
        <p className="font-medium wrap-anywhere">{toShownLine(nameOf(path))}</p>
        <p className="mt-1 text-ink-soft">
          {t(isTooLarge ? (canDownload ? 'files.tooLarge' : 'files.muchTooLarge') : 'files.notText')}
        </p>
      </div>
      <Facts
        className="grid-cols-[auto_auto] gap-x-4 gap-y-1 text-start text-sm"
        facts={[
          [t('files.facts.type'), toShownLine(mime)],
          [t('files.facts.size'), formatBytes(bytes)],
          [t('files.facts.changed'), formatDateTime(modifiedAt)],
        ]}
      />
      <div className="flex flex-wrap justify-center gap-2">
        {canDownload ? (
          <Button
            icon={<Download className="size-4" />}
            isBusy={act.isBusy}
            onClick={() => act.run(actions.download)}
          >
            {t('action.download')}
          </Button>
        ) : undefined}
        {canReveal ? (
          <Button icon={<SquareArrowOutUpRight className="size-4" />} onClick={() => act.run(actions.reveal)}>
            {t('files.reveal')}
          </Button>
        ) : undefined}
      </div>
      <ErrorNote issue={act.issue} />
    </div>
  );
}
