/** Signing in to a team server: with a password, a passkey, an identity provider, a link that works once, or an invitation. */
import type { Me } from '@crewagent/protocol/api/accounts';
import { KeyRound, LogIn } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { BrandMark } from '../ui/brand-mark.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Field, Form } from '../ui/forms/field.tsx';
import { Input } from '../ui/forms/input.tsx';
import { useAction } from '../ui/use-action.ts';
import { usePasskey } from './passkeys.ts';
import { team } from './team-client.ts';

export type Methods = Awaited<ReturnType<typeof team.account.methods>>;

interface SignInScreenProps {
  readonly methods: Methods;
  readonly me: Me | undefined;
}

/** A full load, so that nothing of the person before is left. */
const enter = (): void => location.assign('/');

export function SignInScreen({ methods, me }: SignInScreenProps) {
  const { t } = useTranslation();
  const [link] = useState(takeLink);
  const problem = new URLSearchParams(location.search).get('problem') ?? undefined;
  const title = t(`team.enter.${link?.kind ?? 'title'}`);
  return (
    <main className="flex min-h-full items-center justify-center overflow-auto bg-canvas p-4">
      <div className="flex w-full max-w-sm flex-col gap-5 rounded-xl border bg-surface p-6">
        <header className="flex items-center gap-3">
          <BrandMark className="size-9" />
          <div>
            <h1 className="text-lg font-semibold">{title}</h1>
            <p className="text-sm text-ink-faint">{t('team.enter.host', { host: location.host })}</p>
          </div>
        </header>
        {problem && !link ? <ErrorNote issue={toProblem(problem)} /> : undefined}
        {link?.kind === 'link' ? <ByLink token={link.token} /> : undefined}
        {link?.kind === 'invitation' ? <ByInvitation token={link.token} me={me} /> : undefined}
        {link ? undefined : <ByPassword />}
        {link ? undefined : <OtherWays methods={methods} />}
      </div>
    </main>
  );
}

/** The token is removed from the address at once. */
function takeLink(): { readonly kind: 'link' | 'invitation'; readonly token: string } | undefined {
  const fields = new URLSearchParams(location.hash.slice(1));
  const [token, invitation] = [fields.get('sign-in'), fields.get('invitation')];
  if (token ?? invitation) history.replaceState(history.state, '', location.pathname);
  if (token) return { kind: 'link', token };
  return invitation ? { kind: 'invitation', token: invitation } : undefined;
}

function toProblem(code: string): Error {
  return Object.assign(new Error(''), { code });
}

function ByPassword() {
  const { t } = useTranslation();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const submit = useAction(async () => {
    await team.account.signIn({ body: { email: email.trim(), password } });
    enter();
  });
  return (
    <SignInForm submit={submit} label={t('team.enter.go')} canSubmit={email.includes('@') && password !== ''}>
      <EmailField value={email} onChange={setEmail} />
      <PasswordField value={password} onChange={setPassword} autoComplete="current-password" />
    </SignInForm>
  );
}

/** The first sign-in, or one after a forgotten password. */
function ByLink({ token }: { readonly token: string }) {
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  const submit = useAction(async () => {
    await team.account.signInByLink({ body: { token, ...(password === '' ? {} : { password }) } });
    enter();
  });
  return (
    <SignInForm submit={submit} label={t('team.enter.go')}>
      <PasswordField
        value={password}
        onChange={setPassword}
        label={t('team.enter.newPassword')}
        hint={t('team.enter.newPasswordHint')}
        autoComplete="new-password"
      />
    </SignInForm>
  );
}

function ByInvitation({ token, me }: { readonly token: string; readonly me: Me | undefined }) {
  const { t } = useTranslation();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const submit = useAction(async () => {
    const account = me ? {} : { account: { email: email.trim(), name: name.trim(), password } };
    await team.account.acceptInvitation({ body: { token, ...account } });
    enter();
  });
  const isComplete = email.includes('@') && name.trim() !== '' && password !== '';
  return (
    <SignInForm submit={submit} label={t('team.enter.join')} canSubmit={me !== undefined || isComplete}>
      {me ? (
        <p className="text-ink-soft">{t('team.enter.joinAs', { name: me.person.name })}</p>
      ) : (
        <>
          <EmailField value={email} onChange={setEmail} />
          <Field label={t('team.name')}>
            {(ids) => (
              <Input
                {...ids}
                value={name}
                autoComplete="name"
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <PasswordField
            value={password}
            onChange={setPassword}
            hint={t('team.enter.passwordHint')}
            autoComplete="new-password"
          />
        </>
      )}
    </SignInForm>
  );
}

function OtherWays({ methods }: { readonly methods: Methods }) {
  const { t } = useTranslation();
  const passkey = usePasskey(enter);
  const oidc = useAction(async (provider: string) => {
    const { url } = await team.account.startOidc({ body: { provider } });
    location.assign(url);
  });
  return (
    <div className="flex flex-col gap-2 border-t pt-4">
      {methods.oidc.map(({ id, name }) => (
        <Button key={id} isBusy={oidc.isBusy} onClick={() => oidc.run(id)}>
          {t('team.enter.with', { name })}
        </Button>
      ))}
      <Button icon={<KeyRound className="size-4" />} isBusy={passkey.isBusy} onClick={passkey.run}>
        {t('team.enter.passkey')}
      </Button>
      <ErrorNote issue={oidc.issue ?? passkey.issue} />
      <p className="pt-1 text-sm text-ink-faint">{t('team.enter.lost')}</p>
    </div>
  );
}

interface SignInFormProps {
  readonly submit: ReturnType<typeof useAction<[]>>;
  readonly label: string;
  readonly canSubmit?: boolean;
  readonly children: ReactNode;
}

function SignInForm({ submit, label, canSubmit = true, children }: SignInFormProps) {
  return (
    <Form className="flex flex-col gap-3.5" onSubmit={() => canSubmit && submit.run()}>
      {children}
      <ErrorNote issue={submit.issue} />
      <Button
        kind="primary"
        type="submit"
        icon={<LogIn className="size-4" />}
        disabled={!canSubmit}
        isBusy={submit.isBusy}
      >
        {label}
      </Button>
    </Form>
  );
}

interface TextProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function EmailField({ value, onChange }: TextProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('team.email')}>
      {(ids) => (
        <Input
          {...ids}
          type="email"
          autoComplete="username"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface PasswordFieldProps extends TextProps {
  readonly label?: string;
  readonly hint?: string;
  readonly autoComplete: 'current-password' | 'new-password';
}

export function PasswordField({ value, onChange, label, hint, autoComplete }: PasswordFieldProps) {
  const { t } = useTranslation();
  return (
    <Field label={label ?? t('team.password')} hint={hint}>
      {(ids) => (
        <Input
          {...ids}
          type="password"
          autoComplete={autoComplete}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
