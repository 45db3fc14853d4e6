/** Stored data on this machine: location, size, and projects. */

import '../i18n/settings-texts.ts';
import type { ShownProject } from '@crewagent/protocol/api/projects';
import type { StandingApproval } from '@crewagent/protocol/project';
import { useState } from 'react';
import { useApi, useChange } from '../api/api-context.tsx';
import { KEYS, useProjects } from '../api/queries.ts';
import { SETTINGS_KEYS, type Storage, useStorage } from '../api/settings-queries.ts';
import { formatBytes, formatNumber } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { RelinkDialog } from '../projects/relink-dialog.tsx';
import { useForgetProject } from '../projects/use-project-actions.ts';
import { toReachName } from '../run/approval-reach.ts';
import { toShownPath } from '../run/shown-names.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { ConfirmButton } from '../ui/overlays/alert-dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { SettingsPart } from './settings-part.tsx';

export function DataSection() {
  const { t } = useTranslation();
  const { data: storage, error } = useStorage();
  const { data: projects, error: projectsError } = useProjects();
  const facts = storage
    ? ([
        [t('data.place'), toShownLine(storage.place)],
        [t('data.bytes'), formatBytes(storage.bytes)],
        [
          t('rail.packages'),
          `${formatNumber(storage.packages.count)} · ${formatBytes(storage.packages.bytes)}`,
        ],
      ] as const)
    : [];
  return (
    <SettingsPart section="data">
      <div className="mt-5 flex flex-col gap-3">
        <ErrorNote issue={error ?? projectsError} />
        {storage === undefined && !error ? <Skeleton className="h-20" /> : undefined}
        {storage ? (
          <dl className="grid gap-3 sm:grid-cols-3">
            {facts.map(([name, value]) => (
              <div key={name} className="rounded-lg border p-3.5">
                <dt className="text-sm text-ink-faint">{name}</dt>
                <dd className="mt-0.5 font-medium tabular-nums wrap-anywhere">{value}</dd>
              </div>
            ))}
          </dl>
        ) : undefined}
      </div>
      <h3 className="mt-8 mb-2.5 text-lg font-semibold">{t('projects.title')}</h3>
      {projects?.length === 0 ? <p className="text-ink-faint">{t('projects.empty')}</p> : undefined}
      {projects && projects.length > 0 ? (
        <ul aria-label={t('projects.title')} className="divide-y divide-line rounded-lg border">
          {projects.map((project) => (
            <ProjectData
              key={project.projectId}
              project={project}
              kept={storage?.projects.find(({ projectId }) => projectId === project.projectId)}
            />
          ))}
        </ul>
      ) : undefined}
    </SettingsPart>
  );
}

interface ProjectDataProps {
  readonly project: ShownProject;
  /** Undefined until it was measured. */
  readonly kept: Storage['projects'][number] | undefined;
}

/** Stored data of one project, with actions to delete it. The folder itself is never changed. */
function ProjectData({ project, kept }: ProjectDataProps) {
  const { t } = useTranslation();
  const { projectId, name, path, exists } = project;
  const [isRelinking, setRelinking] = useState(false);
  const clear = useClear(projectId);
  const forget = useForgetProject(projectId);
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
      {isRelinking ? <RelinkDialog projectId={projectId} onClose={() => setRelinking(false)} /> : undefined}
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

/** Permanent approvals of a project, each with a button to revoke it. */
export function AllowedForGood({ project }: { readonly project: ShownProject }) {
  const { t } = useTranslation();
  const { projectId, approvals } = project;
  const client = useApi();
  const revoke = useChange(KEYS.projects, (body: StandingApproval) =>
    client.projects.revoke({ projectId, body }),
  );
  if (approvals.length === 0) return undefined;
  return (
    <div className="rounded-lg border px-3 py-2">
      <p className="text-sm text-ink-faint">{t('data.allowed')}</p>
      <ul aria-label={t('data.allowed')}>
        {approvals.map((approval) => {
          const { tool, path, reach = 'file' } = approval;
          const shown = reach === 'file' ? toShownPath(path) : toReachName(t, path, reach);
          // A path starts with its mount; otherwise the approval is for a tool.
          const files = path.startsWith('@') ? shown : tool;
          return (
            <li key={`${tool} ${reach} ${path}`} className="flex items-center gap-3 py-1">
              <span className="min-w-0 grow wrap-anywhere">{files}</span>
              <Button
                size="sm"
                disabled={revoke.isBusy}
                aria-label={t('data.revokeOf', { files })}
                onClick={() => revoke.run(approval)}
              >
                {t('data.revoke')}
              </Button>
            </li>
          );
        })}
      </ul>
      <ErrorNote issue={revoke.issue} />
    </div>
  );
}
