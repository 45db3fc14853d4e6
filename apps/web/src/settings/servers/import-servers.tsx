/**
 * Adds servers from the file of another program. What each would start is shown first, exactly; only those a person ticks are
 * added.
 */
import '../../i18n/machine-texts.ts';
import { isStdio, type McpServer, type ServersPreview } from '@crewagent/protocol/mcp';
import { toVisibleText } from '@crewagent/protocol/visible-text';
import { useState } from 'react';
import { useApi, useChange } from '../../api/api-context.tsx';
import { SETTINGS_KEYS } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Checkbox } from '../../ui/forms/checkbox.tsx';
import { Textarea } from '../../ui/forms/input.tsx';
import { Note } from '../../ui/note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';

export function ImportServers() {
  const { t } = useTranslation();
  const client = useApi();
  const [text, setText] = useState('');
  const [preview, setPreview] = useState<ServersPreview>();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [result, setResult] = useState<{
    readonly added: readonly string[];
    readonly issues: readonly string[];
  }>();
  const change = (next: string): void => {
    setText(next);
    setPreview(undefined);
    setChosen([]);
  };
  const look = useAction(async () => {
    setResult(undefined);
    setPreview(await client.servers.previewImport({ body: { text } }));
  });
  const add = useChange(SETTINGS_KEYS.servers, async () => {
    setResult(await client.servers.import({ body: { text, servers: [...chosen] } }));
    change('');
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
        onChange={(event) => change(event.target.value)}
      />
      {preview && preview.servers.length > 0 ? (
        <ul aria-label={t('servers.importList')} className="flex flex-col divide-y rounded-lg border">
          {preview.servers.map(({ id, server, isKnown = false }) => (
            <li key={id} className="flex flex-col gap-1.5 px-3 py-2.5">
              <Checkbox
                label={
                  <span className="font-medium">
                    {id}
                    {isKnown ? (
                      <span className="font-normal text-ink-faint"> · {t('servers.importKnown')}</span>
                    ) : undefined}
                  </span>
                }
                isChecked={chosen.includes(id)}
                isDisabled={isKnown || add.isBusy}
                onChange={(isChecked) =>
                  setChosen(isChecked ? [...chosen, id] : chosen.filter((other) => other !== id))
                }
              />
              <StartedBy server={server} />
            </li>
          ))}
        </ul>
      ) : undefined}
      <ServerIssues issues={preview?.issues ?? result?.issues ?? []} />
      <div className="flex items-center gap-3">
        {preview && preview.servers.length > 0 ? (
          <Button kind="primary" disabled={chosen.length === 0} isBusy={add.isBusy} onClick={() => add.run()}>
            {t('servers.importButton', { count: chosen.length })}
          </Button>
        ) : (
          <Button disabled={text.trim() === ''} isBusy={look.isBusy} onClick={() => look.run()}>
            {t('servers.importLook')}
          </Button>
        )}
        <span role="status" className="text-ok">
          {result && result.added.length > 0
            ? t('servers.imported', { count: result.added.length })
            : undefined}
        </span>
      </div>
      <ErrorNote issue={look.issue ?? add.issue} />
    </section>
  );
}

/** The program with each of its arguments, or the address; and the names of the values it gets. */
function StartedBy({ server }: { readonly server: McpServer }) {
  const { t } = useTranslation();
  const words = isStdio(server) ? [server.command, ...server.args] : [server.url];
  const values = isStdio(server) ? [...server.env, ...server.inheritEnv] : server.headers;
  return (
    <div className="ms-6 flex flex-col gap-1 text-sm">
      <p dir="ltr" className="flex flex-wrap gap-1 font-mono">
        {words.map((word, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: arguments may be equal, and do not change
          <code key={index} className="rounded-sm bg-sunken px-1 whitespace-pre-wrap wrap-anywhere">
            {word === '' ? '""' : toVisibleText(word)}
          </code>
        ))}
      </p>
      {isStdio(server) && server.cwd !== undefined ? (
        <p className="text-ink-faint">{t('servers.importFolder', { folder: toVisibleText(server.cwd) })}</p>
      ) : undefined}
      {values.length > 0 ? (
        <p className="text-ink-faint">
          {t(isStdio(server) ? 'servers.importEnv' : 'servers.importHeaders', { names: values.join(', ') })}
        </p>
      ) : undefined}
    </div>
  );
}

/** Entries of a configuration that cannot be used, and why. */
export function ServerIssues({ issues }: { readonly issues: readonly string[] }) {
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
