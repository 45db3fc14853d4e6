/** Stored data on this machine: location, size, and projects. */

import { useProjects } from '../api/queries.ts';
import { useStorage } from '../api/settings-queries.ts';
import { formatBytes, formatNumber } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { toShownLine } from '../ui/sanitize-text.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { ProjectData } from './project-data.tsx';
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
          t('data.packages'),
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
