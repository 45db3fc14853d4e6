/** Header of a file's tab: path, status, view switch and actions. */
import type { FileEncoding, LineEnding } from '@crewagent/protocol/api/files';
import {
  ChevronRight,
  Copy,
  Download,
  FolderInput,
  ListTree,
  Save,
  SquareArrowOutUpRight,
  Trash2,
  X,
} from 'lucide-react';
import { Fragment } from 'react';
import { useCanReveal } from '../../api/files-queries.ts';
import { useProjects } from '../../api/queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useDocumentExports } from '../../run/use-document-exports.ts';
import { changeLayout } from '../../state/layout.ts';
import { useShownRun } from '../../state/shown-run.ts';
import { useMay } from '../../state/team-server.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/errors/error-note.tsx';
import { Switch } from '../../ui/forms/switch.tsx';
import { MoreMenu, menuItem } from '../../ui/overlays/menu.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import { useIsNarrow } from '../../ui/use-media.ts';
import { askAboutFiles, closeTab } from '../dialogs/file-asks.ts';
import { FileIcon } from '../file-kinds.tsx';
import { foldersAbove, nameOf } from '../paths.ts';
import { showInTree, toggleFolder } from '../tree/tree-state.ts';
import { useFileActions } from '../use-file-actions.ts';
import type { FileView } from './file-views.ts';
import { type OpenedFile, toText } from './use-file.ts';

interface FileHeaderProps {
  readonly projectId: string;
  readonly path: string;
  readonly file: OpenedFile;
  readonly views: readonly FileView[];
  readonly view: FileView;
  readonly onView: (view: FileView) => void;
}

export function FileHeader({ projectId, path, file, views, view, onView }: FileHeaderProps) {
  const { t } = useTranslation();
  const isUnsaved = file.draft !== undefined;
  const { encoding, lineEnding } = file.draft ?? toText(file.content) ?? {};
  return (
    <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b px-3 py-1">
      <h1 className="sr-only">{toShownLine(nameOf(path))}</h1>
      <Breadcrumb projectId={projectId} path={path} />
      {encoding && lineEnding ? (
        <p className="text-xs text-ink-faint max-sm:hidden">
          {[ENCODINGS[encoding], lineEnding === 'mixed' ? t('files.mixedLineEnds') : LINE_ENDS[lineEnding]]
            .filter(Boolean)
            .join(' · ')}
        </p>
      ) : undefined}
      <div className="flex items-center gap-2">
        {isUnsaved ? <Badge tone="warn">{t('workspace.dirty')}</Badge> : undefined}
        {views.length > 1 ? (
          <Switch
            label={t('files.views.label')}
            value={view}
            options={views.map((each) => ({ value: each, label: t(`files.views.${each}`) }))}
            onChange={onView}
          />
        ) : undefined}
        {isUnsaved ? (
          <Button
            kind="primary"
            size="sm"
            icon={<Save className="size-3.5" />}
            isBusy={file.isSaving}
            disabled={file.standing === 'conflict' || file.standing === 'gone'}
            onClick={() => file.save()}
          >
            {t('action.save')}
          </Button>
        ) : undefined}
        <FileMenu projectId={projectId} path={path} />
      </div>
    </div>
  );
}

/** The same in every language. */
const ENCODINGS: Readonly<Record<FileEncoding, string>> = {
  utf8: 'UTF-8',
  'utf8-bom': 'UTF-8 BOM',
  utf16le: 'UTF-16 LE',
  utf16be: 'UTF-16 BE',
  latin1: 'Latin-1',
};

const LINE_ENDS: Readonly<Partial<Record<LineEnding, string>>> = { lf: 'LF', crlf: 'CRLF' };

/** Path of a file from the project down; each folder can be shown in the tree. A narrow window has room for the name only. */
function Breadcrumb({ projectId, path }: Pick<FileHeaderProps, 'projectId' | 'path'>) {
  const { t } = useTranslation();
  const folders = useIsNarrow() ? [] : foldersAbove(path);
  const { data: projects } = useProjects();
  const project = projects?.find((known) => known.projectId === projectId)?.name;
  const show = (folder: string): void => {
    changeLayout(projectId, { sidePanel: 'files' });
    showInTree(projectId, folder);
    toggleFolder(projectId, folder, true);
  };
  return (
    <nav aria-label={t('files.place')} className="min-w-40 grow basis-40">
      <ol className="flex min-w-0 items-center gap-0.5 text-ink-faint">
        {project === undefined ? undefined : (
          <li className="max-w-40 shrink truncate max-sm:hidden">{toShownLine(project)}</li>
        )}
        {folders.map((folder, index) => (
          <Fragment key={folder}>
            <Separator isFirst={index === 0} />
            <li className="min-w-10 shrink truncate">
              <button
                type="button"
                onClick={() => show(folder)}
                className="max-w-full truncate rounded-sm px-1 hover:bg-hover hover:text-ink"
              >
                {toShownLine(nameOf(folder))}
              </button>
            </li>
          </Fragment>
        ))}
        <Separator isFirst={folders.length === 0} />
        <li
          aria-current="page"
          className="flex min-w-0 items-center gap-1.5 px-1 font-medium text-ink sm:shrink-0"
        >
          <FileIcon name={nameOf(path)} />
          <span className="max-w-72 truncate">{toShownLine(nameOf(path))}</span>
        </li>
      </ol>
    </nav>
  );
}

/** The first separator follows the project's name, which is hidden in narrow windows. */
function Separator({ isFirst }: { readonly isFirst: boolean }) {
  return (
    <li aria-hidden="true" className={`shrink-0 ${isFirst ? 'max-sm:hidden' : ''}`}>
      <ChevronRight className="size-3" />
    </li>
  );
}

/** Actions for the file of a tab. */
function FileMenu({ projectId, path }: Pick<FileHeaderProps, 'projectId' | 'path'>) {
  const { t } = useTranslation();
  const { reveal, download, copyPath } = useFileActions(projectId);
  const canReveal = useCanReveal();
  const isNarrow = useIsNarrow();
  const mayRun = useMay(projectId, 'run');
  const act = useAction((work: (path: string) => Promise<void>) => work(path));
  const workId = useShownRun(({ run }) => (run?.projectId === projectId ? run.runId : undefined));
  const exports = useDocumentExports({ projectId, workId, path });
  return (
    <>
      <ErrorLine issue={act.issue ?? exports.issue} />
      <MoreMenu
        label={t('files.actions')}
        items={[
          !isNarrow &&
            menuItem('tree', ListTree, t('files.showInTree'), () => {
              changeLayout(projectId, { sidePanel: 'files' });
              showInTree(projectId, path);
            }),
          menuItem('download', Download, t('action.download'), () => act.run(download)),
          ...exports.items,
          menuItem('copy', Copy, t('files.copyPath'), () => act.run(copyPath)),
          canReveal && menuItem('reveal', SquareArrowOutUpRight, t('files.reveal'), () => act.run(reveal)),
          'separator',
          menuItem('close', X, t('files.closeTab'), () => closeTab(projectId, path)),
          mayRun &&
            menuItem('move', FolderInput, t('files.move'), () =>
              askAboutFiles({ kind: 'move', projectId, path }),
            ),
          mayRun &&
            menuItem(
              'remove',
              Trash2,
              t('action.delete'),
              () => askAboutFiles({ kind: 'remove', projectId, path, isFolder: false }),
              { isDanger: true },
            ),
        ]}
      />
    </>
  );
}
