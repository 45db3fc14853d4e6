/** The account of the person who is signed in: password, passkeys, API tokens. */
import type { Me, ShownToken } from '@crewagent/protocol/api/accounts';
import { ROLES, type Role } from '@crewagent/protocol/roles';
import { KeyRound, Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../api/api-context.tsx';
import { formatDateTime } from '../i18n/format.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Form } from '../ui/forms/field.tsx';
import { SelectField, TextField } from '../ui/forms/simple-fields.tsx';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { Panel, ShownOnce } from './panel.tsx';
import { addPasskey } from './passkeys.ts';
import { TEAM_KEYS, team, useTeamQuery } from './team-client.ts';

export function AccountSection({ me }: { readonly me: Me }) {
  const { t } = useTranslation();
  const passkey = useAction(async () => {
    await addPasskey(navigator.platform || 'Passkey');
    useToasts.getState().show(t('team.account.passkeyAdded'));
  });
  return (
    <>
      <Password hasPassword={me.hasPassword} />
      <Panel
        title={t('team.account.passkeys')}
        aside={
          <Button icon={<KeyRound className="size-4" />} isBusy={passkey.isBusy} onClick={passkey.run}>
            {t('team.account.addPasskey')}
          </Button>
        }
      >
        <ErrorNote issue={passkey.issue} />
      </Panel>
      <Tokens />
    </>
  );
}

function Password({ hasPassword }: { readonly hasPassword: boolean }) {
  const { t } = useTranslation();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const submit = useAction(async () => {
    await team.account.changePassword({ body: { ...(hasPassword ? { current } : {}), password } });
    setCurrent('');
    setPassword('');
    useToasts.getState().show(t('team.account.changed'));
  });
  const canSubmit = password !== '' && (!hasPassword || current !== '');
  return (
    <Panel title={t('team.account.password')}>
      <Form className="flex max-w-sm flex-col gap-3" onSubmit={() => canSubmit && submit.run()}>
        {hasPassword ? (
          <TextField
            type="password"
            value={current}
            onChange={setCurrent}
            label={t('team.account.current')}
            autoComplete="current-password"
          />
        ) : undefined}
        <TextField
          type="password"
          value={password}
          onChange={setPassword}
          label={t('team.account.next')}
          hint={t('team.account.passwordHint')}
          autoComplete="new-password"
        />
        <ErrorNote issue={submit.issue} />
        <div>
          <Button type="submit" disabled={!canSubmit} isBusy={submit.isBusy}>
            {t('team.account.change')}
          </Button>
        </div>
      </Form>
    </Panel>
  );
}

function Tokens() {
  const { t } = useTranslation();
  const { data, error } = useTeamQuery(TEAM_KEYS.tokens, () => team.account.tokens());
  const [isCreating, setCreating] = useState(false);
  const [token, setToken] = useState<string>();
  return (
    <Panel
      title={t('team.account.tokens')}
      text={t('team.account.tokensText')}
      aside={
        <Button icon={<Plus className="size-4" />} onClick={() => setCreating(true)}>
          {t('team.account.createToken')}
        </Button>
      }
    >
      <ErrorNote issue={error} />
      {data?.tokens.length === 0 ? <p className="text-ink-faint">{t('team.account.noTokens')}</p> : undefined}
      <ul aria-label={t('team.account.tokens')} className="flex flex-col divide-y divide-line">
        {data?.tokens.map((one) => (
          <TokenRow key={one.tokenId} token={one} />
        ))}
      </ul>
      {isCreating ? <CreateToken onClose={() => setCreating(false)} onToken={setToken} /> : undefined}
      {token === undefined ? undefined : (
        <ShownOnce
          title={t('team.account.tokenTitle')}
          text={t('team.account.tokenOnce')}
          secret={token}
          onClose={() => setToken(undefined)}
        />
      )}
    </Panel>
  );
}

function TokenRow({ token: { tokenId, scope, expiresAt, ...token } }: { readonly token: ShownToken }) {
  const { t } = useTranslation();
  const name = toShownLine(token.name);
  const revoke = useChange(TEAM_KEYS.tokens, () => team.account.revokeToken({ tokenId }));
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="min-w-40 grow basis-0">
        <span className="block truncate font-medium">{name}</span>
        <span className="block text-sm text-ink-faint">
          {t('team.account.expires', { when: formatDateTime(expiresAt) })}
        </span>
      </span>
      <Badge>{t(`team.roles.${scope}`)}</Badge>
      <IconButton
        size="sm"
        label={t('team.account.revoke', { name })}
        disabled={revoke.isBusy}
        onClick={() => revoke.run()}
      >
        <X />
      </IconButton>
      <ErrorNote issue={revoke.issue} />
    </li>
  );
}

interface CreateTokenProps {
  readonly onClose: () => void;
  readonly onToken: (token: string) => void;
}

const MAX_DAYS = 366;

function CreateToken({ onClose, onToken }: CreateTokenProps) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Role>('run');
  const [days, setDays] = useState('30');
  const isValid = /^\d+$/.test(days) && Number(days) >= 1 && Number(days) <= MAX_DAYS;
  const submit = useChange(TEAM_KEYS.tokens, async () => {
    const body = { name: name.trim(), scope, days: Number(days) };
    const { token } = await team.account.createToken({ body });
    onClose();
    onToken(token);
  });
  return (
    <FormDialog
      title={t('team.account.createToken')}
      submitLabel={t('team.account.createToken')}
      submit={submit}
      canSubmit={name.trim() !== '' && isValid}
      isDirty={name !== ''}
      onClose={onClose}
    >
      <TextField label={t('team.account.tokenName')} value={name} onChange={setName} />
      <SelectField
        label={t('team.account.scope')}
        value={scope}
        onChoose={(next) => setScope(next as Role)}
        options={ROLES.map((value) => ({ value, label: t(`team.roles.${value}`) }))}
      />
      <TextField label={t('team.account.days')} inputMode="numeric" value={days} onChange={setDays} />
    </FormDialog>
  );
}
