/** MCP servers of the settings and of the last opened project: switches, status, tools, and adding servers. */
import '../../i18n/machine-texts.ts';
import { Plug } from 'lucide-react';
import { useProjects } from '../../api/queries.ts';
import { useServers } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { FieldsSection } from '../settings-part.tsx';
import { AddServer } from './add-server.tsx';
import { ImportServers, ServerIssues } from './import-servers.tsx';
import { ServerRow } from './server-row.tsx';

export function ServersSection() {
  const { t } = useTranslation();
  const { data: projects } = useProjects();
  const project = projects?.[0];
  const { data, error } = useServers(project?.projectId);
  return (
    <>
      <FieldsSection section="servers" />
      <div className="mt-5 flex flex-col gap-3">
        <ErrorNote issue={error} />
        {data === undefined && !error ? <Skeleton className="h-28" /> : undefined}
        {data?.servers.length === 0 ? (
          <EmptyState icon={<Plug />} title={t('servers.none')}>
            {t('servers.noneText')}
          </EmptyState>
        ) : undefined}
        {data && data.servers.length > 0 ? (
          <ul aria-label={t('servers.list')} className="flex flex-col gap-3">
            {data.servers.map((server) => (
              <ServerRow
                key={`${server.origin} ${server.id}`}
                listed={server}
                project={project}
                sandbox={data.sandbox}
              />
            ))}
          </ul>
        ) : undefined}
        <ServerIssues issues={data?.issues ?? []} />
        <AddServer />
        <ImportServers />
      </div>
    </>
  );
}
