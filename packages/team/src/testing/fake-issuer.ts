/** An identity provider that signs what a test wants, right or wrong. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

const KEYS = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const OTHER_KEYS = generateKeyPairSync('rsa', { modulusLength: 2_048 });

export interface Lie {
  /** Replaces claims; null removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly signature?: 'of another issuer' | 'none';
}

interface Authorized {
  readonly challenge: string;
  readonly nonce: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export async function startFakeIssuer() {
  const codes = new Map<string, Authorized>();
  let lie: Lie = {};
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    if (request.url === '/.well-known/openid-configuration')
      return {
        status: 200,
        body: {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        },
      };
    if (request.url === '/keys') {
      const jwk = KEYS.publicKey.export({ format: 'jwk' });
      return { status: 200, body: { keys: [{ ...jwk, kid: 'current', alg: 'RS256', use: 'sig' }] } };
    }
    if (request.url !== '/token') return { status: 404, body: {} };
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const code = form.get('code') ?? '';
    const authorized = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!authorized || challenge !== authorized.challenge)
      return { status: 400, body: { error: 'invalid_grant' } };
    const body = { access_token: 'unused', token_type: 'Bearer', id_token: toIdToken(authorized) };
    return { status: 200, body };
  }

  function toIdToken({ nonce, claims }: Authorized): string {
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: issuer, aud: 'crewagent', iat: now, exp: now + 60, nonce, ...claims };
    const payload = Object.entries({ ...usual, ...lie.claims }).filter(([, value]) => value !== null);
    const header = { alg: lie.signature === 'none' ? 'none' : 'RS256', kid: 'current', ...lie.header };
    const text = [header, Object.fromEntries(payload)].map(encode).join('.');
    const key = lie.signature === 'of another issuer' ? OTHER_KEYS.privateKey : KEYS.privateKey;
    return `${text}.${lie.signature === 'none' ? '' : sign(text, key)}`;
  }

  return {
    issuer,
    /** What the next identity tokens say instead of the truth. */
    tell(next: Lie): void {
      lie = next;
    },
    /** What a browser does at the provider: signs in and is sent back. Returns the address with the code. */
    authorize(address: string, claims: Readonly<Record<string, unknown>> = { sub: 'ada-at-issuer' }): URL {
      const { searchParams } = new URL(address);
      const code = randomUUID();
      codes.set(code, {
        challenge: searchParams.get('code_challenge') ?? '',
        nonce: searchParams.get('nonce') ?? '',
        claims,
      });
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      return back;
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sign(text: string, key: KeyObject): string {
  return createSign('RSA-SHA256').update(text).sign(key, 'base64url');
}
