/** MCP servers of the settings and of the last opened project: switches, status, tools, and adding servers. */
import { useQueryClient } from '@tanstack/react-query';
import { Plug } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { useProjects } from '../../api/queries.ts';
import { SETTINGS_KEYS, useServers } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Textarea } from '../../ui/forms/textarea.tsx';
import { Note } from '../../ui/note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useAction } from '../../ui/use-action.ts';
import { SwitchSetting } from '../fields/choice-settings.tsx';
import { SettingsGate } from '../settings-gate.tsx';
import { SettingsPart } from '../settings-part.tsx';
import { AddServer } from './add-server.tsx';
import { ServerRow } from './server-row.tsx';

export function ServersSection() {
  const { t } = useTranslation();
  const { data: projects } = useProjects();
  const project = projects?.[0];
  const { data, error } = useServers(project?.projectId);
  return (
    <SettingsPart title={t('settings.names.servers')} text={t('servers.text')}>
      <SettingsGate>
        <SwitchSetting
          path="tools.mcp.enabled"
          label={t('servers.enabled')}
          hint={t('servers.enabledHint')}
        />
      </SettingsGate>
      <div className="mt-5 flex flex-col gap-3">
        <ErrorNote issue={error} />
        {data === undefined && !error ? <Skeleton className="h-28" /> : undefined}
        {data?.servers.length === 0 ? (
          <EmptyState icon={<Plug aria-hidden="true" />} title={t('servers.none')}>
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
        <Issues issues={data?.issues ?? []} />
        <AddServer />
        <ImportServers />
      </div>
    </SettingsPart>
  );
}

function Issues({ issues }: { readonly issues: readonly string[] }) {
  const { t } = useTranslation();
  if (issues.length === 0) return undefined;
  return (
    <Note level="warning" title={t('servers.skipped')}>
      {issues.map((issue) => (
        <p key={issue}>{toShownLine(issue)}</p>
      ))}
    </Note>
  );
}

function ImportServers() {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [result, setResult] = useState<{
    readonly added: readonly string[];
    readonly issues: readonly string[];
  }>();
  const add = useAction(async () => {
    setResult(undefined);
    setResult(await client.servers.import({ body: { text } }));
    setText('');
    await queries.invalidateQueries({ queryKey: SETTINGS_KEYS.servers });
  });
  return (
    <section className="mt-3 flex flex-col gap-2 border-t pt-5">
      <h3 className="font-medium">{t('servers.import')}</h3>
      <p className="max-w-xl text-sm text-ink-faint">{t('servers.importText')}</p>
      <Textarea
        aria-label={t('servers.importLabel')}
        rows={6}
        spellCheck={false}
        autoComplete="off"
        value={text}
        placeholder={'{ "mcpServers": { "files": { "command": "npx", "args": ["…"] } } }'}
        className="font-mono text-sm!"
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex items-center gap-3">
        <Button kind="primary" disabled={text.trim() === ''} isBusy={add.isBusy} onClick={() => add.run()}>
          {t('servers.importButton')}
        </Button>
        <span role="status" className="text-ok">
          {result && result.added.length > 0
            ? t('servers.imported', { count: result.added.length })
            : undefined}
        </span>
      </div>
      <Issues issues={result?.issues ?? []} />
      <ErrorNote issue={add.issue} />
    </section>
  );
}
