/** A hook in the list: what it calls and when, a switch, a test with its result, and the form to change it. */
import '../../i18n/machine-texts.ts';
import { isCommandHook, type ListedHook, type TestedHook } from '@crewagent/protocol/hooks';
import { Lock } from 'lucide-react';
import { useState } from 'react';
import { useApi, useChange } from '../../api/api-context.tsx';
import { SETTINGS_KEYS } from '../../api/settings-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Switch } from '../../ui/forms/checkbox.tsx';
import { ConfirmButton } from '../../ui/overlays/alert-dialog.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { EVENT_TEXTS } from './event-texts.ts';
import { HookForm } from './hook-form.tsx';

interface HookRowProps {
  readonly listed: ListedHook;
  /** Of the project in which it is tested. */
  readonly projectId: string | undefined;
}

export function HookRow({ listed, projectId }: HookRowProps) {
  const { t } = useTranslation();
  const client = useApi();
  const [isEditing, setEditing] = useState(false);
  const { name, hook, isRequired, refusal, tested } = listed;
  const act = useChange(SETTINGS_KEYS.hooks, (work: () => Promise<unknown>) => work());
  const test = useChange(SETTINGS_KEYS.hooks, () => client.hooks.test({ hook: name, body: { projectId } }));
  if (isEditing)
    return (
      <li>
        <HookForm listed={listed} onDone={() => setEditing(false)} />
      </li>
    );
  return (
    <li className="flex flex-col gap-3 rounded-lg border bg-surface p-3.5">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-medium wrap-anywhere">{toShownLine(name)}</h3>
        {isRequired ? <Badge>{t('hooks.required')}</Badge> : undefined}
        {hook.onFailure === 'deny' ? <Badge>{t('hooks.failsClosed')}</Badge> : undefined}
        <span className="grow" />
        <Button
          size="sm"
          isBusy={test.isBusy}
          aria-label={t('hooks.testOf', { hook: name })}
          onClick={() => test.run()}
        >
          {t('action.test')}
        </Button>
        {isRequired ? undefined : (
          <>
            <Button size="sm" aria-label={t('hooks.editOf', { hook: name })} onClick={() => setEditing(true)}>
              {t('action.edit')}
            </Button>
            <ConfirmButton
              label={t('action.remove')}
              name={t('hooks.removeOf', { hook: name })}
              title={t('hooks.removeTitle', { hook: name })}
              isDisabled={act.isBusy}
              onConfirm={() => act.run(() => client.hooks.remove({ hook: name }))}
            >
              {t('hooks.removeText')}
            </ConfirmButton>
          </>
        )}
      </div>
      <p className="text-sm text-ink-soft">{hook.on.map((event) => t(EVENT_TEXTS[event])).join(' · ')}</p>
      <code className="font-mono text-sm wrap-anywhere text-ink-soft">
        {toShownLine(isCommandHook(hook) ? [hook.command, ...hook.args].join(' ') : hook.url)}
      </code>
      {isCommandHook(hook) ? (
        <p className="text-sm text-ink-faint">
          {t(hook.sandbox === 'off' ? 'hooks.noSandbox' : 'hooks.sandbox')}
        </p>
      ) : undefined}
      {isRequired ? (
        <p className="flex items-center gap-2 text-sm text-ink-faint">
          <Lock className="size-4 shrink-0" />
          {t('hooks.requiredText')}
        </p>
      ) : (
        <div className="sm:max-w-md">
          <Switch
            label={t('hooks.enabledOf', { hook: name })}
            isOn={hook.enabled && refusal === undefined}
            isDisabled={act.isBusy || refusal !== undefined}
            onChange={(enabled) =>
              act.run(() => client.hooks.put({ hook: name, body: { hook: { ...hook, enabled } } }))
            }
          />
        </div>
      )}
      {tested ? <LastTest tested={tested} /> : undefined}
      <ErrorNote issue={act.issue ?? test.issue} />
    </li>
  );
}

function LastTest({ tested: { at, error, deny, message } }: { readonly tested: TestedHook }) {
  const { t } = useTranslation();
  const time = new Date(at).toLocaleTimeString();
  const said = toShownLine(error ?? deny ?? message ?? '');
  const outcome = error !== undefined ? 'failed' : deny !== undefined ? 'denied' : said ? 'said' : 'ok';
  return (
    <p role="status" className={`text-sm wrap-anywhere ${error === undefined ? 'text-ok' : 'text-bad'}`}>
      {t(`hooks.tested.${outcome}`, { time, said })}
    </p>
  );
}
