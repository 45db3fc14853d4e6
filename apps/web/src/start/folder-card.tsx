/** Project folders: recent ones, another one, or a new one. */
import { FolderOpen, FolderPlus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useProjects } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useGoToFolder } from '../projects/use-project-actions.ts';
import { findBridge } from '../state/desktop-bridge.ts';
import { useWantedFolder } from '../state/wanted-folder.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { useArrowKeys } from '../ui/rows.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { Card } from './card.tsx';
import { ProjectRow } from './project-row.tsx';

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
          icon={<FolderOpen aria-hidden="true" className="size-4" />}
          isBusy={native.isBusy}
          onClick={() => (findBridge() ? native.run() : setPurpose('open'))}
        >
          {t('folders.titles.open')}
        </Button>
        <Button icon={<FolderPlus aria-hidden="true" className="size-4" />} onClick={() => setPurpose('new')}>
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
            <Button size="sm" kind="quiet" onClick={() => setAll(true)}>
              {t('projects.showAll', { count: projects.length })}
            </Button>
          ) : undefined}
        </div>
      ) : undefined}
      {projects?.length === 0 ? <p className="text-ink-faint">{t('projects.empty')}</p> : undefined}
      {purpose === undefined ? undefined : (
        <Suspense>
          <FolderDialog purpose={purpose} onClose={close} onChoose={open} />
        </Suspense>
      )}
    </Card>
  );
}

const FolderDialog = lazy(async () => ({
  default: (await import('../projects/folder-dialog.tsx')).FolderDialog,
}));
