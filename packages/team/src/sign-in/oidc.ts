/**
 * Sign-in with an identity provider (OpenID Connect, authorization code with PKCE). State and nonce are bound to the browser by a cookie.
 * The signature of the identity token is verified although it comes from the provider itself. A person is found by issuer and subject;
 * by e-mail address only if the administrator trusts the provider with it and the provider has verified it.
 */
import { CrewError } from '@crewagent/core';
import type { Person } from '@crewagent/protocol/api/accounts';
import type { Configuration, IDToken } from 'openid-client';
import type { Accounts } from '../accounts/accounts.ts';
import type { Ceremonies } from './ceremonies.ts';

export interface OidcProvider {
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** Signs people in whose verified e-mail address is that of an account. */
  readonly isTrustedWithEmail?: boolean | undefined;
  /** Creates an account for everybody whom the provider signs in. */
  readonly createsPeople?: boolean | undefined;
}

interface Started {
  readonly provider: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Who was signed in: the identity is added to their account. */
  readonly personId?: string | undefined;
}

export interface OidcOptions {
  readonly accounts: Accounts;
  readonly ceremonies: Ceremonies;
  readonly providers: readonly OidcProvider[];
  readonly redirectUri: string;
}

export type OidcSignIn = ReturnType<typeof createOidcSignIn>;

export function createOidcSignIn({ accounts, ceremonies, providers, redirectUri }: OidcOptions) {
  const known = new Map(providers.map((provider) => [provider.id, provider]));
  const discovered = new Map<string, Promise<Configuration>>();
  const discover = (provider: OidcProvider): Promise<Configuration> => {
    const found = discovered.get(provider.id) ?? discoverProvider(provider);
    discovered.set(provider.id, found);
    // A provider that does not answer now may do so later.
    found.catch(() => discovered.delete(provider.id));
    return found;
  };
  const requireProvider = (id: string): OidcProvider => {
    const provider = known.get(id);
    if (!provider) throw new CrewError('NOT_FOUND', 'There is no such identity provider.');
    return provider;
  };

  return {
    providers: providers.map(({ id, name }) => ({ id, name })),
    /** Where the browser goes, and the token that binds the sign-in to it. */
    async start(providerId: string, personId?: string): Promise<{ url: string; token: string }> {
      const client = await import('openid-client');
      const config = await discover(requireProvider(providerId)).catch(notReached);
      const verifier = client.randomPKCECodeVerifier();
      const started: Started = {
        provider: providerId,
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier,
        personId,
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: started.state,
        nonce: started.nonce,
      });
      return { url: url.href, token: await ceremonies.start('oidc', started) };
    },
    /** `query`: of the address to which the provider has sent the browser. Throws SIGN_IN_FAILED. */
    async finish(token: string, query: string): Promise<Person> {
      const started = await ceremonies.finish<Started>('oidc', token);
      if (!started) throw failed();
      const provider = requireProvider(started.provider);
      const claims = await exchange(await discover(provider).catch(notReached), started, query);
      return findPerson(accounts, { provider, claims, personId: started.personId });
    },
  };

  async function exchange(config: Configuration, started: Started, query: string): Promise<IDToken> {
    const client = await import('openid-client');
    const url = new URL(redirectUri);
    url.search = query;
    try {
      const tokens = await client.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: started.verifier,
        expectedState: started.state,
        expectedNonce: started.nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims) return claims;
    } catch (error) {
      throw failed(error);
    }
    throw failed();
  }
}

async function discoverProvider({ issuer, clientId, clientSecret }: OidcProvider): Promise<Configuration> {
  const client = await import('openid-client');
  const url = new URL(issuer);
  // For a provider on this machine, as in tests.
  const isLocal = url.protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(url.hostname);
  return client.discovery(
    url,
    clientId,
    clientSecret,
    clientSecret === undefined ? client.None() : undefined,
    {
      execute: [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])],
      timeout: 10,
    },
  );
}

interface FoundIdentity {
  readonly provider: OidcProvider;
  readonly claims: IDToken;
  readonly personId: string | undefined;
}

async function findPerson(
  accounts: Accounts,
  { provider, claims, personId }: FoundIdentity,
): Promise<Person> {
  const { isTrustedWithEmail = false, createsPeople = false } = provider;
  const { iss: issuer, sub: subject, name } = claims;
  const email = claims.email_verified === true && typeof claims.email === 'string' ? claims.email : undefined;
  const { identities, people } = accounts;
  const known = await identities.find(issuer, subject);
  if (known && (personId === undefined || personId === known))
    return requireEnabled(await people.find(known));
  // The identity belongs to somebody else than the person who wants to add it.
  if (known) throw failed();
  const target =
    personId ?? (isTrustedWithEmail && email ? (await people.findByEmail(email))?.personId : undefined);
  const person = target === undefined ? undefined : requireEnabled(await people.find(target));
  if (!person && !(createsPeople && email))
    throw new CrewError(
      'SIGN_IN_FAILED',
      'No account belongs to this identity. Ask an administrator for one.',
    );
  const owner = person ?? (await people.create({ email: email ?? '', name: toName(name, email) }));
  await identities.add(issuer, subject, owner.personId);
  return owner;
}

function requireEnabled(person: Person | undefined): Person {
  if (!person || person.isDisabled) throw failed();
  return person;
}

function toName(name: unknown, email = ''): string {
  const text = typeof name === 'string' ? name.replace(/\p{C}/gu, '').trim().slice(0, 200) : '';
  return text || email;
}

function failed(cause?: unknown): CrewError {
  return new CrewError('SIGN_IN_FAILED', 'The identity provider did not confirm who you are. Try again.', {
    cause,
  });
}

function notReached(cause: unknown): never {
  throw new CrewError('SIGN_IN_FAILED', 'The identity provider does not answer. Try again later.', { cause });
}
