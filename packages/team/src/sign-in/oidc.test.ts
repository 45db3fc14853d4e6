import { describe, expect, it } from 'vitest';
import { createAccountsRig } from '../testing/accounts-rig.ts';
import { type Lie, startFakeIssuer } from '../testing/fake-issuer.ts';
import { loadOidcProviders } from './load-providers.ts';
import type { OidcProvider } from './oidc.ts';

async function createRig(more: Partial<OidcProvider> = {}) {
  const issuer = await startFakeIssuer();
  const provider = { id: 'corp', name: 'Corp', issuer: issuer.issuer, clientId: 'crewagent', ...more };
  const rig = await createAccountsRig({ oidcProviders: [provider] });
  rig.mountRoutes();
  const start = async (headers: Record<string, string> = {}) => {
    const body = { provider: 'corp' };
    const response = await rig.call('/account/oidc', { method: 'POST', headers, body });
    const { url } = (await response.json()) as { url: string };
    return { url, cookie: response.headers.get('set-cookie') ?? '' };
  };
  const comeBack = async (address: URL, cookie: string) => {
    const response = await rig.app.request(
      address.href,
      { headers: { cookie: cookie.split(';')[0] ?? '' } },
      {},
    );
    const session = response.headers.getSetCookie().find((one) => /^__Host-crewagent=[\w-]{43};/.test(one));
    return { response, text: await response.text(), session: session?.split(';')[0] };
  };
  const signIn = async (claims?: Readonly<Record<string, unknown>>, headers: Record<string, string> = {}) => {
    const { url, cookie } = await start(headers);
    return comeBack(issuer.authorize(url, claims), cookie);
  };
  const emailOf = async (session: string | undefined): Promise<string> => {
    const me = await rig.call('/account', { headers: { cookie: session ?? '' } });
    return ((await me.json()) as { person: { email: string } }).person.email;
  };
  return { ...rig, issuer, start, comeBack, signInAs: signIn, emailOf };
}

const VERIFIED = { sub: 'ada-at-issuer', email: 'ada@example.com', email_verified: true, name: 'Ada' };

/** What an identity token says that it must not say. */
const LIES: readonly (readonly [string, Lie])[] = [
  ['for another client', { claims: { aud: 'another-client' } }],
  ['for several clients without saying which one asked', { claims: { aud: ['crewagent', 'other'] } }],
  ['of another issuer', { claims: { iss: 'http://127.0.0.1:1' } }],
  ['of another sign-in', { claims: { nonce: 'another' } }],
  ['without a nonce', { claims: { nonce: null } }],
  ['that has expired', { claims: { exp: Math.floor(Date.now() / 1_000) - 3_600 } }],
  ['that does not expire', { claims: { exp: null } }],
  ['without a subject', { claims: { sub: null } }],
  ['without a signature', { signature: 'none' }],
  ['with the key of another issuer', { signature: 'of another issuer' }],
  ['with an unknown key', { header: { kid: 'unknown' } }],
  ['with another algorithm', { header: { alg: 'HS256' } }],
];

describe('the identity provider of the environment', () => {
  it('has an issuer and a client, and is trusted with nothing unless that is said', () => {
    expect(loadOidcProviders({})).toEqual([]);
    const env = {
      CREWAGENT_OIDC_ISSUER: 'https://id.example.com/team',
      CREWAGENT_OIDC_CLIENT_ID: 'crewagent',
    };
    expect(loadOidcProviders(env)).toMatchObject([
      { name: 'id.example.com', clientId: 'crewagent', isTrustedWithEmail: false, createsPeople: false },
    ]);
    const more = { ...env, CREWAGENT_OIDC_TRUST_EMAIL: '1', CREWAGENT_OIDC_CREATE_PEOPLE: '1' };
    expect(loadOidcProviders(more)).toMatchObject([{ isTrustedWithEmail: true, createsPeople: true }]);
    for (const wrong of [{ CREWAGENT_OIDC_CLIENT_ID: 'a' }, { ...env, CREWAGENT_OIDC_ISSUER: 'no address' }])
      expect(() => loadOidcProviders(wrong)).toThrow(/CREWAGENT_OIDC_ISSUER/);
  });
});

describe('sign-in with an identity provider', () => {
  it('uses PKCE, state and nonce, bound to the browser by a cookie', async () => {
    const rig = await createRig({ createsPeople: true });
    const { url, cookie } = await rig.start();
    const { searchParams } = new URL(url);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: 'https://crew.example.com/sign-in/callback',
      scope: 'openid email profile',
    });
    expect([searchParams.get('state'), searchParams.get('nonce')]).not.toContain(null);
    expect(cookie).toMatch(
      /^__Host-crewagent-oidc=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const { response, text, session } = await rig.comeBack(rig.issuer.authorize(url, VERIFIED), cookie);
    expect(response.status).toBe(200);
    // Not a redirect: browsers would not send the cookie of the session with it.
    expect(text).toContain('content="0;url=/"');
    expect(await rig.emailOf(session)).toBe('ada@example.com');
    expect(await rig.emailOf((await rig.signInAs({ sub: 'ada-at-issuer' })).session)).toBe('ada@example.com');
    expect(await rig.accounts.people.list()).toHaveLength(1);
  });

  it('refuses identity tokens of any other issuer, client, sign-in, time or key', async () => {
    const rig = await createRig({ createsPeople: true });
    for (const [which, lie] of LIES) {
      rig.issuer.tell(lie);
      const { text, session } = await rig.signInAs(VERIFIED);
      expect([which, session]).toEqual([which, undefined]);
      expect(text).toContain('/sign-in?problem=SIGN_IN_FAILED');
    }
    expect(await rig.accounts.people.list()).toEqual([]);
    rig.issuer.tell({});
    expect((await rig.signInAs(VERIFIED)).session).toBeDefined();
  });

  it('refuses a code twice, in another browser, with another state, and an error of the provider', async () => {
    const rig = await createRig({ createsPeople: true });
    const { url, cookie } = await rig.start();
    const back = rig.issuer.authorize(url, VERIFIED);
    expect((await rig.comeBack(back, '')).session).toBeUndefined();
    const other = await rig.start();
    expect((await rig.comeBack(back, other.cookie)).session).toBeUndefined();
    expect((await rig.comeBack(back, cookie)).session).toBeDefined();
    expect((await rig.comeBack(back, cookie)).session).toBeUndefined();
    const third = await rig.start();
    const denied = new URL(`${back.origin}${back.pathname}?error=access_denied`);
    denied.searchParams.set('state', new URL(third.url).searchParams.get('state') ?? '');
    expect((await rig.comeBack(denied, third.cookie)).session).toBeUndefined();
    const late = await rig.start();
    await rig.database.write("update ceremonies set expires_at = now() - interval '1 second'");
    expect(
      (await rig.comeBack(rig.issuer.authorize(late.url, VERIFIED), late.cookie)).session,
    ).toBeUndefined();
    expect(rig.bugs).toEqual([]);
  });

  it('finds a person by e-mail only if it is verified and the administrator trusts the provider', async () => {
    const careful = await createRig();
    await careful.addPerson('ada');
    expect((await careful.signInAs(VERIFIED)).session).toBeUndefined();
    const creating = await createRig({ createsPeople: true });
    await creating.addPerson('ada');
    // The address is taken, and nobody gets an account through it.
    expect((await creating.signInAs(VERIFIED)).session).toBeUndefined();
    const trusting = await createRig({ isTrustedWithEmail: true });
    await trusting.addPerson('ada');
    for (const email_verified of [false, 'true', null])
      expect((await trusting.signInAs({ ...VERIFIED, email_verified })).session).toBeUndefined();
    expect(await trusting.emailOf((await trusting.signInAs(VERIFIED)).session)).toBe('ada@example.com');
    // From now on by subject, whatever the address is.
    const { session } = await trusting.signInAs({ ...VERIFIED, email: 'other@example.com' });
    expect(await trusting.emailOf(session)).toBe('ada@example.com');
    expect(
      (await trusting.signInAs({ ...VERIFIED, sub: 'somebody else', email: 'x@example.com' })).session,
    ).toBeUndefined();
  });

  it('adds an identity to the account of a person who is signed in, and never to two', async () => {
    const rig = await createRig();
    const [ada, bob] = [await rig.addPerson('ada'), await rig.addPerson('bob')];
    const added = await rig.signInAs({ sub: 'a' }, await rig.signIn(ada));
    expect(await rig.emailOf(added.session)).toBe('ada@example.com');
    expect((await rig.signInAs({ sub: 'a' }, await rig.signIn(bob))).session).toBeUndefined();
    expect(await rig.emailOf((await rig.signInAs({ sub: 'a' })).session)).toBe('ada@example.com');
    await rig.addPerson('admin', { isAdmin: true });
    await rig.accounts.people.change(ada.personId, { isDisabled: true });
    expect((await rig.signInAs({ sub: 'a' })).session).toBeUndefined();
  });
});
