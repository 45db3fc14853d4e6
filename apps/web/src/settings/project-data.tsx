/** Stored data of one project, with actions to delete it. The folder itself is never changed. */
import type { ShownProject } from '@crewagent/protocol/api/projects';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { SETTINGS_KEYS, type Storage } from '../api/settings-queries.ts';
import { useChange } from '../api/use-change.ts';
import { formatBytes } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { FolderDialog } from '../projects/folder-dialog.tsx';
import { useForgetProject, useRelinkProject } from '../projects/use-project-actions.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { ConfirmButton } from '../ui/overlays/alert-dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { AllowedForGood } from './allowed-for-good.tsx';

interface ProjectDataProps {
  readonly project: ShownProject;
  /** Undefined until it was measured. */
  readonly kept: Storage['projects'][number] | undefined;
}

export function ProjectData({ project, kept }: ProjectDataProps) {
  const { t } = useTranslation();
  const { projectId, name, path, exists } = project;
  const [isRelinking, setRelinking] = useState(false);
  const clear = useClear(projectId);
  const forget = useForgetProject(projectId);
  const relink = useRelinkProject(projectId, () => setRelinking(false));
  const shownName = toShownLine(name);
  return (
    <li className="flex flex-col gap-2.5 p-3.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-48 grow basis-0">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {shownName}
            {exists ? undefined : <Badge tone="warn">{t('projects.gone')}</Badge>}
          </p>
          <p className="truncate font-mono text-sm text-ink-faint" title={toShownLine(path)}>
            {toShownLine(path)}
          </p>
          {kept ? (
            <p className="mt-0.5 text-sm text-ink-faint tabular-nums">
              {t('data.conversations', { count: kept.conversations })} ·{' '}
              {t('data.runs', { count: kept.runs })} · {formatBytes(kept.bytes)}
            </p>
          ) : undefined}
        </div>
        <div className="flex flex-wrap gap-1.5">
          <Button size="sm" onClick={() => setRelinking(true)}>
            {t(exists ? 'projects.moved' : 'projects.relink')}
          </Button>
          <ConfirmButton
            label={t('data.clear')}
            title={t('data.clearTitle', { name: shownName })}
            isBusy={clear.isBusy}
            isDisabled={kept !== undefined && kept.conversations + kept.runs === 0}
            onConfirm={() => clear.run()}
          >
            {t('data.clearText')}
          </ConfirmButton>
          <ConfirmButton
            label={t('projects.forget')}
            title={t('projects.forgetTitle', { name: shownName })}
            isBusy={forget.isBusy}
            onConfirm={() => forget.run()}
          >
            {t('projects.forgetText')}
          </ConfirmButton>
        </div>
      </div>
      <ErrorNote issue={clear.issue ?? forget.issue} />
      <AllowedForGood project={project} />
      {isRelinking ? (
        <FolderDialog purpose="relink" onClose={() => setRelinking(false)} onChoose={relink} />
      ) : undefined}
    </li>
  );
}

function useClear(projectId: string) {
  const { t } = useTranslation();
  const client = useApi();
  return useChange(SETTINGS_KEYS.storage, async () => {
    const { conversations, kept } = await client.projects.clear({ projectId });
    const said =
      kept === 0 ? t('data.cleared', { count: conversations }) : t('data.clearedSome', { count: kept });
    useToasts.getState().show(said);
  });
}
