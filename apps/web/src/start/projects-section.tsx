/** The folders one works in: those of before, and another one. */
import { useQueryClient } from '@tanstack/react-query';
import { Folder, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import { KEYS, useProjects } from '../api/queries.ts';
import { navigate } from '../app/router.ts';
import { Button } from '../ui/button.tsx';
import { FaultNote } from '../ui/fault-note.tsx';
import { toShownLine } from '../ui/foreign-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useAction } from '../ui/use-action.ts';
import { FolderDialog } from './folder-dialog.tsx';
import { ROW_BUTTON, Rows, Section } from './section.tsx';

export function ProjectsSection() {
  const { t } = useTranslation();
  const { data: projects, error } = useProjects();
  const [isChoosing, setChoosing] = useState(false);
  const open = useOpenFolder();
  return (
    <Section
      title={t('projects.title')}
      aside={
        <Button
          kind="primary"
          icon={<FolderOpen aria-hidden="true" className="size-4" />}
          onClick={() => setChoosing(true)}
        >
          {t('projects.open')}
        </Button>
      }
    >
      <FaultNote fault={open.fault ?? error?.message} />
      {projects === undefined && !error ? <Skeleton className="h-14" /> : undefined}
      {projects?.length === 0 ? <p className="text-ink-faint">{t('projects.empty')}</p> : undefined}
      {projects && projects.length > 0 ? (
        <Rows label={t('projects.title')}>
          {projects.map(({ projectId, name, path, exists }) => (
            <li key={projectId}>
              <button
                type="button"
                disabled={!exists || open.isBusy}
                className={ROW_BUTTON}
                onClick={() => open.run(path)}
              >
                <Folder aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
                <span className="min-w-0 grow">
                  <span className="block truncate font-medium">{toShownLine(name)}</span>
                  <span className="block truncate font-mono text-sm text-ink-faint">{toShownLine(path)}</span>
                </span>
                {exists ? undefined : <span className="text-sm text-warn">{t('projects.gone')}</span>}
              </button>
            </li>
          ))}
        </Rows>
      ) : undefined}
      {isChoosing ? <FolderDialog onClose={() => setChoosing(false)} onChoose={open} /> : undefined}
    </Section>
  );
}

function useOpenFolder() {
  const client = useApi();
  const queries = useQueryClient();
  return useAction(async (path: string) => {
    const { projectId } = await client.projects.open({ body: { path } });
    await queries.invalidateQueries({ queryKey: KEYS.projects });
    navigate({ name: 'project', projectId });
  });
}
