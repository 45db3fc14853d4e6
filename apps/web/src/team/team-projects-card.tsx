/** The projects of the team on the start screen, and creating another one. */
import '../i18n/team-texts.ts';
import { FolderGit2, FolderPlus } from 'lucide-react';
import { useState } from 'react';
import { useProjects } from '../api/queries.ts';
import { formatWhen } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { navigate } from '../navigation/router.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { useArrowKeys } from '../ui/rows.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { NewProjectDialog } from './new-project-dialog.tsx';

const INITIAL_COUNT = 8;

export default function TeamProjects() {
  const { t } = useTranslation();
  const { data: projects, error } = useProjects();
  const [isCreating, setCreating] = useState(false);
  const [showsAll, setAll] = useState(false);
  const { list, onKeyDown } = useArrowKeys<HTMLUListElement>();
  const shown = showsAll ? projects : projects?.slice(0, INITIAL_COUNT);
  return (
    <>
      <div>
        <Button icon={<FolderPlus className="size-4" />} onClick={() => setCreating(true)}>
          {t('team.projects.create')}
        </Button>
      </div>
      <ErrorNote issue={error} />
      {projects === undefined && !error ? <Skeleton className="h-24" /> : undefined}
      {projects?.length === 0 ? <p className="text-ink-faint">{t('team.projects.empty')}</p> : undefined}
      {projects && projects.length > 0 ? (
        <ul ref={list} onKeyDown={onKeyDown} aria-label={t('projects.title')} className="-mx-2 flex flex-col">
          {shown?.map(({ projectId, name, lastOpenedAt }) => (
            <li key={projectId}>
              <button
                type="button"
                data-list-item
                onClick={() => navigate({ name: 'project', projectId })}
                className="flex w-full min-w-0 items-center gap-2.5 rounded-md px-2 py-1.5 text-start -outline-offset-2 hover:bg-hover"
              >
                <FolderGit2 className="size-4 shrink-0 text-ink-faint" />
                <span className="min-w-0 grow truncate font-medium">{toShownLine(name)}</span>
                <span className="shrink-0 text-xs text-ink-faint tabular-nums">
                  {formatWhen(lastOpenedAt)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      ) : undefined}
      {projects && projects.length > INITIAL_COUNT && !showsAll ? (
        <Button size="sm" kind="quiet" onClick={() => setAll(true)}>
          {t('projects.showAll', { count: projects.length })}
        </Button>
      ) : undefined}
      {isCreating ? <NewProjectDialog onClose={() => setCreating(false)} /> : undefined}
    </>
  );
}
