/**
 * The sign-in page of a team server: with a password, a passkey or an identity provider; with a link that works once; with an invitation.
 * The token of a link is in the fragment of the address and is removed from it at once.
 */
import { detectLanguage, LANGUAGES, type Language } from '@crewagent/protocol/languages';
import { signInWithPasskey } from './passkey.ts';
import { RequestError, send } from './send.ts';
import { type SignInTexts, TEXTS } from './texts.ts';
import { type FormView, showForm } from './view.ts';

const chosen = readAppearance();
const language = chosen.language ?? detectLanguage(navigator.languages);
const t = TEXTS[language];
const main = document.getElementById('main');
document.documentElement.lang = language;

followTheme();
if (main) await start(main);

async function start(root: HTMLElement): Promise<void> {
  const link = new URLSearchParams(location.hash.slice(1));
  const problem = new URLSearchParams(location.search).get('problem');
  history.replaceState(null, '', location.pathname);
  const show = (view: FormView): void => showForm(root, view, (error) => toMessage(error, t));
  const invitation = link.get('invitation');
  const signIn = link.get('sign-in');
  if (signIn) return show(toWelcome(signIn));
  if (invitation) return show(await toInvitation(invitation, show));
  show(await toSignIn(openApp));
  if (problem) root.querySelector('[role=alert]')?.replaceChildren(t.providerFailed);
}

/** `next`: after the person is signed in. */
async function toSignIn(next: () => Promise<void> | void): Promise<FormView> {
  const { oidc = [] } = await send<{ oidc: { id: string; name: string }[] }>('GET', '/account/methods').catch(
    () => ({ oidc: [] }),
  );
  return {
    title: t.title,
    fields: [
      { name: 'email', label: t.email, type: 'email', autocomplete: 'username' },
      { name: 'password', label: t.password, type: 'password', autocomplete: 'current-password' },
    ],
    action: t.signIn,
    async onSubmit(values) {
      await send('POST', '/account/sign-in', values);
      await next();
    },
    separator: t.or,
    others: [
      ...oidc.map(({ id, name }) => ({
        label: t.provider.replace('{{name}}', () => name),
        async onClick() {
          const { url } = await send<{ url: string }>('POST', '/account/oidc', { provider: id });
          location.assign(url);
        },
      })),
      ...('credentials' in navigator && 'PublicKeyCredential' in window
        ? [
            {
              label: t.passkey,
              async onClick() {
                await signInWithPasskey();
                await next();
              },
            },
          ]
        : []),
    ],
  };
}

function toWelcome(token: string): FormView {
  return {
    title: t.welcome,
    hint: t.welcomeHint,
    fields: [{ name: 'password', label: t.password, type: 'password', autocomplete: 'new-password' }],
    action: t.save,
    async onSubmit({ password }) {
      await send('POST', '/account/sign-in-link', { token, password });
      openApp();
    },
    others: [
      {
        label: t.skip,
        async onClick() {
          await send('POST', '/account/sign-in-link', { token });
          openApp();
        },
      },
    ],
  };
}

async function toInvitation(token: string, show: (view: FormView) => void): Promise<FormView> {
  const me = await send<{ person: { email: string } }>('GET', '/account').catch(() => undefined);
  const accept = async (body: object): Promise<void> => {
    await send('POST', '/account/invitation', { token, ...body });
    openApp();
  };
  if (me)
    return {
      title: t.join,
      hint: t.joinAs.replace('{{email}}', () => me.person.email),
      fields: [],
      action: t.accept,
      onSubmit: () => accept({}),
      others: [],
    };
  return {
    title: t.join,
    hint: t.joinHint,
    fields: [
      { name: 'name', label: t.name, type: 'text', autocomplete: 'name' },
      { name: 'email', label: t.email, type: 'email', autocomplete: 'username' },
      { name: 'password', label: t.password, type: 'password', autocomplete: 'new-password' },
    ],
    action: t.create,
    onSubmit: (account) => accept({ account }),
    others: [
      {
        label: t.haveAccount,
        onClick: async () => show(await toSignIn(async () => show(await toInvitation(token, show)))),
      },
    ],
  };
}

/** The session is a cookie, which the app finds. */
function openApp(): void {
  location.replace('/');
}

const MESSAGES: Readonly<Record<string, keyof SignInTexts>> = {
  SIGN_IN_FAILED: 'failed',
  PASSKEY_FAILED: 'passkeyFailed',
  TOO_MANY_ATTEMPTS: 'tooMany',
  LINK_EXPIRED: 'expired',
  PERSON_EXISTS: 'exists',
  USAGE: 'weak',
  UNREACHABLE: 'unreachable',
};

function toMessage(error: unknown, texts: SignInTexts): string {
  const code = error instanceof RequestError ? error.code : '';
  return texts[MESSAGES[code] ?? 'broken'];
}

/** `first-paint.js` has set the theme; that of the system may change while the page is open. */
function followTheme(): void {
  if (chosen.theme === 'light' || chosen.theme === 'dark') return;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
    document.documentElement.dataset.theme = matches ? 'dark' : 'light';
  });
}

/** As chosen in the app in this browser. */
function readAppearance(): { readonly language?: Language | undefined; readonly theme?: string | undefined } {
  try {
    const { state = {} } = JSON.parse(localStorage.getItem('crewagent.appearance') ?? '{}') as {
      state?: { language?: string; theme?: string };
    };
    const language = LANGUAGES.find((known) => known === state.language);
    return { language, theme: state.theme };
  } catch {
    // Private windows and damaged values.
    return {};
  }
}
