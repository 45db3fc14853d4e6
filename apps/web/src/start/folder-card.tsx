/** Project folders: recent ones, another one, or a new one. */
import type { ShownProject } from '@crewagent/protocol/api/projects';
import { Folder, FolderOpen, FolderPlus, FolderSearch, FolderX, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useProjects } from '../api/queries.ts';
import { formatWhen } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { LazyFolderDialog, RelinkDialog } from '../projects/relink-dialog.tsx';
import { useForgetProject, useGoToFolder } from '../projects/use-project-actions.ts';
import { findBridge } from '../state/desktop-bridge.ts';
import { useWantedFolder } from '../state/wanted-folder.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { AlertDialog } from '../ui/overlays/alert-dialog.tsx';
import { MoreMenu, menuItem } from '../ui/overlays/menu.tsx';
import { useArrowKeys } from '../ui/rows.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { type Action, useAction } from '../ui/use-action.ts';
import { Card } from './card.tsx';

const INITIAL_COUNT = 5;

export function FolderCard() {
  const { t } = useTranslation();
  const { data: projects, error } = useProjects();
  const [chosen, setPurpose] = useState<'open' | 'new'>();
  const isWanted = useWantedFolder((wanted) => wanted.isWanted);
  const purpose = chosen ?? (isWanted ? 'first' : undefined);
  const [showsAll, setAll] = useState(false);
  const { list, onKeyDown } = useArrowKeys<HTMLUListElement>();
  const open = useGoToFolder();
  const native = useAction(async () => {
    const path = await findBridge()?.chooseFolder();
    if (path !== undefined) open.run(path);
  });
  const close = (): void => {
    open.forget();
    useWantedFolder.setState({ isWanted: false });
    setPurpose(undefined);
  };
  const shown = showsAll ? projects : projects?.slice(0, INITIAL_COUNT);
  const isSome = projects !== undefined && projects.length > 0;
  return (
    <Card
      icon={<FolderOpen />}
      title={t('projects.card')}
      text={t('projects.text')}
      isReady={projects?.some(({ exists }) => exists) ?? false}
    >
      <div className="flex flex-wrap gap-2">
        <Button
          icon={<FolderOpen className="size-4" />}
          isBusy={native.isBusy}
          onClick={() => (findBridge() ? native.run() : setPurpose('open'))}
        >
          {t('folders.titles.open')}
        </Button>
        <Button icon={<FolderPlus className="size-4" />} onClick={() => setPurpose('new')}>
          {t('projects.make')}
        </Button>
      </div>
      <ErrorNote issue={(purpose ? undefined : open.issue) ?? native.issue ?? error} />
      {projects === undefined && !error ? <Skeleton className="h-24" /> : undefined}
      {isSome ? (
        <div>
          <h3 className="mb-1 text-sm text-ink-faint">{t('projects.recent')}</h3>
          <ul
            ref={list}
            onKeyDown={onKeyDown}
            aria-label={t('projects.title')}
            className="-mx-2 flex flex-col"
          >
            {shown?.map((project) => (
              <ProjectRow key={project.projectId} project={project} open={open} />
            ))}
          </ul>
          {projects.length > INITIAL_COUNT && !showsAll ? (
            <Button size="sm" kind="quiet" className="-ms-2" onClick={() => setAll(true)}>
              {t('projects.showAll', { count: projects.length })}
            </Button>
          ) : undefined}
        </div>
      ) : undefined}
      {projects?.length === 0 ? <p className="text-ink-faint">{t('projects.empty')}</p> : undefined}
      {purpose === undefined ? undefined : (
        <LazyFolderDialog purpose={purpose} onClose={close} onChoose={open} />
      )}
    </Card>
  );
}

interface ProjectRowProps {
  readonly project: ShownProject;
  readonly open: Action<[path: string, isNew?: boolean]>;
}

/** A recent project: a click opens it; if its folder is gone, it can be located or forgotten. */
function ProjectRow({ project, open }: ProjectRowProps) {
  const { t } = useTranslation();
  const { projectId, path, exists, lastOpenedAt } = project;
  const [asks, setAsks] = useState<'relink' | 'forget'>();
  const forget = useForgetProject(projectId);
  const name = toShownLine(project.name);
  const Icon = exists ? Folder : FolderX;
  return (
    <li>
      <div className="flex items-center gap-1 rounded-md pe-1 hover:bg-hover">
        <button
          type="button"
          data-list-item
          disabled={!exists || open.isBusy}
          onClick={() => open.run(path)}
          title={toShownLine(path)}
          className="flex min-w-0 grow items-center gap-2.5 rounded-md px-2 py-1.5 text-start -outline-offset-2"
        >
          <Icon className="size-4 shrink-0 text-ink-faint" />
          <span className="min-w-0 grow">
            <span className="block truncate font-medium">{name}</span>
            <span className="block truncate text-xs text-ink-faint">{toShownLine(path)}</span>
          </span>
          <span className="shrink-0 text-xs text-ink-faint tabular-nums">{formatWhen(lastOpenedAt)}</span>
        </button>
        <MoreMenu
          data-list-action
          label={t('projects.actions', { name })}
          size="sm"
          items={[
            menuItem('relink', FolderSearch, t(exists ? 'projects.moved' : 'projects.relink'), () =>
              setAsks('relink'),
            ),
            menuItem('forget', Trash2, t('projects.forget'), () => setAsks('forget'), { isDanger: true }),
          ]}
        />
      </div>
      {exists ? undefined : (
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 ps-8.5 pe-2 pb-1.5 text-sm text-warn">
          {t('projects.gone')}
          <Button size="sm" onClick={() => setAsks('relink')}>
            {t('projects.relink')}
          </Button>
        </p>
      )}
      <ErrorNote issue={forget.issue} />
      {asks === 'relink' ? (
        <RelinkDialog projectId={projectId} onClose={() => setAsks(undefined)} />
      ) : undefined}
      <AlertDialog
        isOpen={asks === 'forget'}
        title={t('projects.forgetTitle', { name })}
        confirmLabel={t('projects.forget')}
        onCancel={() => setAsks(undefined)}
        onConfirm={() => {
          setAsks(undefined);
          forget.run();
        }}
      >
        {t('projects.forgetText')}
      </AlertDialog>
    </li>
  );
}
