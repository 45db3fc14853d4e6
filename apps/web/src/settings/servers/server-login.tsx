/** Sign-in to an MCP server. The page of the sign-in comes from the server: its address is shown before it is opened. */
import '../../i18n/machine-texts.ts';
import type { ListedServer } from '@crewagent/protocol/mcp';
import { useApi, useChange } from '../../api/api-context.tsx';
import { SETTINGS_KEYS } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Note } from '../../ui/note.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';

interface ServerLoginProps {
  readonly listed: Pick<ListedServer, 'id' | 'login' | 'origin'>;
  readonly projectId: string | undefined;
}

export function ServerLogin({ listed: { id, login, origin }, projectId }: ServerLoginProps) {
  const { t } = useTranslation();
  const client = useApi();
  const params = { server: id, body: origin === 'project' && projectId !== undefined ? { projectId } : {} };
  const act = useChange(SETTINGS_KEYS.servers, (work: () => Promise<unknown>) => work());
  const button = (what: 'signIn' | 'signOut' | 'cancel', label: string) => (
    <Button
      size="sm"
      isBusy={what === 'signIn' && act.isBusy}
      disabled={act.isBusy}
      aria-label={t(`servers.login.${what}Of`, { server: id })}
      onClick={() => act.run(() => client.servers[what === 'signIn' ? 'login' : 'logout'](params))}
    >
      {label}
    </Button>
  );
  if (!login) return undefined;
  const { url, error, isRequired, isSignedIn } = login;
  if (url !== undefined && /^https?:/.test(url))
    return (
      <Note
        level="info"
        title={t('servers.login.page', { host: toShownLine(new URL(url).host) })}
        actions={
          <>
            <a href={url} target="_blank" rel="noopener noreferrer">
              {t('servers.login.open')}
            </a>
            {button('cancel', t('action.cancel'))}
          </>
        }
      >
        <code className="font-mono text-sm">{toShownLine(url)}</code>
      </Note>
    );
  return (
    <div className="flex flex-col gap-2">
      {error === undefined ? undefined : (
        <Note level="error" title={t('servers.login.failed')}>
          {toShownLine(error)}
        </Note>
      )}
      <div className="flex flex-wrap items-center gap-2 text-sm text-ink-faint">
        {t(isRequired ? 'servers.login.required' : 'servers.login.signedIn')}
        {isRequired || error !== undefined ? button('signIn', t('servers.login.signIn')) : undefined}
        {isSignedIn ? button('signOut', t('servers.login.signOut')) : undefined}
      </div>
      <ErrorNote issue={act.issue} />
    </div>
  );
}
