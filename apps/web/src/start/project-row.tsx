/** A recent project: a click opens it; if its folder is gone, it can be located or forgotten. */
import type { ShownProject } from '@crewagent/protocol/api/projects';
import { Folder, FolderSearch, FolderX, MoreHorizontal, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { formatWhen } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { RelinkDialog } from '../projects/relink-dialog.tsx';
import { useForgetProject } from '../projects/use-project-actions.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { AlertDialog } from '../ui/overlays/alert-dialog.tsx';
import { Menu } from '../ui/overlays/menu.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import type { Action } from '../ui/use-action.ts';

interface ProjectRowProps {
  readonly project: ShownProject;
  readonly open: Action<[path: string, isNew?: boolean]>;
}

export function ProjectRow({ project, open }: ProjectRowProps) {
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
          <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-faint" />
          <span className="min-w-0 grow">
            <span className="block truncate font-medium">{name}</span>
            <span className="block truncate font-mono text-xs text-ink-faint">{toShownLine(path)}</span>
          </span>
          <span className="shrink-0 text-xs text-ink-faint tabular-nums">{formatWhen(lastOpenedAt)}</span>
        </button>
        <Menu
          label={t('projects.actions', { name })}
          trigger={
            <IconButton data-list-action label={t('projects.actions', { name })} size="sm" hasTooltip={false}>
              <MoreHorizontal aria-hidden="true" />
            </IconButton>
          }
          items={[
            {
              id: 'relink',
              label: t(exists ? 'projects.moved' : 'projects.relink'),
              icon: <FolderSearch aria-hidden="true" />,
              onChoose: () => setAsks('relink'),
            },
            {
              id: 'forget',
              label: t('projects.forget'),
              icon: <Trash2 aria-hidden="true" />,
              isDanger: true,
              onChoose: () => setAsks('forget'),
            },
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
