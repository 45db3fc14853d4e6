import { describe, expect, it } from 'vitest';
import { type CallInit, createServerRig, HOST, ORIGIN, TOKEN } from '../testing/server-rig.ts';
import { findRequestIssue } from './guard.ts';

const LIST = '/api/v1/works';
const OPEN = '/api/v1/projects';
const POST: CallInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"path":"/nowhere"}',
};

describe('the Host header', () => {
  it.each(['127.0.0.1:4000', 'localhost:4000', 'LocalHost:4000', '[::1]:4000'])(
    '[H1] may be %s',
    async (host) => {
      const { call } = await createServerRig();
      expect((await call(LIST, { headers: { host, origin: undefined } })).status).toBe(200);
    },
  );

  it.each([
    'evil.example:4000',
    'evil.example',
    '127.0.0.1',
    '127.0.0.1:4001',
    '127.0.0.1.evil.example:4000',
    'localhost.evil.example:4000',
    'localhost:4000.',
    '0.0.0.0:4000',
    '[::]:4000',
    '2130706433:4000',
    '',
  ])('[H1] may not be "%s"', async (host) => {
    const { call } = await createServerRig();
    for (const path of [LIST, '/', '/page.css']) {
      const response = await call(path, { headers: { host, origin: undefined } });
      expect(response.status).toBe(421);
      expect(await response.json()).toMatchObject({ error: { code: 'HOST_REFUSED' } });
    }
  });
});

describe('a request without a Host header', () => {
  it('[H1] is rejected', async () => {
    const { call } = await createServerRig();
    for (const path of [LIST, '/']) {
      const response = await call(path, { headers: { host: undefined, origin: undefined } });
      expect(response.status).toBe(421);
    }
  });
});

describe('a request', () => {
  const HEADERS = ['Host', HOST, 'Accept', '*/*'];

  it.each([
    '/a\\b',
    '/a\0b',
    '/a%5Cb',
    '/a%5cb',
    '/a%2Fb',
    '/a%2fb',
    '/a%2Eb',
    '/a%00b',
    '/.',
    '/..',
    '/./a',
    '/a/..',
    '/a/../b',
    '/a/.?b',
    '/a/..?b',
    '//a',
    'a',
    'http://a/',
    '*',
    '',
  ])('[H4] for %j is rejected', (url) => {
    expect(findRequestIssue({ url, rawHeaders: HEADERS })).toBeTypeOf('string');
  });

  it.each(['/', '/.well-known/a', '/..a', '/a..', '/a.b/...', '/a?b=../c&d=%2f%5c\\', '/%20'])(
    '[H4] for %j is accepted',
    (url) => {
      expect(findRequestIssue({ url, rawHeaders: HEADERS })).toBeUndefined();
    },
  );

  it.each([
    'Host',
    'Origin',
    'Authorization',
    'Content-Type',
    'Content-Length',
    'Transfer-Encoding',
    'Last-Event-ID',
  ])('[H4] may have the header %s only once, in any letter case, and may mention it in values', (name) => {
    const once = [name, 'a', 'X-Name', name.toLowerCase(), 'X-Name', name];
    expect(findRequestIssue({ url: '/', rawHeaders: once })).toBeUndefined();
    for (const again of [name, name.toLowerCase(), name.toUpperCase()])
      expect(findRequestIssue({ url: '/', rawHeaders: [...once, again, 'a'] })).toContain(name.toLowerCase());
  });
});

describe('the Origin header', () => {
  it('[H1] must be our own for a request that changes something', async () => {
    const { call } = await createServerRig();
    // Rejected for its content only.
    expect((await call(OPEN, POST)).status).toBe(404);
    expect(
      (
        await call(OPEN, {
          ...POST,
          headers: { ...POST.headers, host: 'localhost:4000', origin: 'http://localhost:4000' },
        })
      ).status,
    ).toBe(404);
  });

  it.each([
    ['none', undefined],
    ['null', 'null'],
    ['another site', 'http://evil.example'],
    ['another port', 'http://127.0.0.1:4001'],
    ['another name of ours', 'http://localhost:4000'],
    ['https', 'https://127.0.0.1:4000'],
    ['a longer name', `${ORIGIN}.evil.example`],
    ['a path behind it', `${ORIGIN}/`],
  ])('[H1] may not be %s', async (_, origin) => {
    const { call } = await createServerRig();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await call(OPEN, { ...POST, method, headers: { ...POST.headers, origin } });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: { code: 'ORIGIN_REFUSED' } });
    }
    if (origin !== undefined) expect((await call(LIST, { headers: { origin } })).status).toBe(403);
  });

  it('[H1] matches in any letter case', async () => {
    const { call } = await createServerRig();
    for (const [host, origin] of [
      ['LocalHost:4000', 'http://localhost:4000'],
      ['localhost:4000', 'http://LocalHost:4000'],
    ])
      expect((await call(OPEN, { ...POST, headers: { ...POST.headers, host, origin } })).status).toBe(404);
  });

  it('[H1] may be omitted by a request that reads, unless the browser reports another site', async () => {
    const { call } = await createServerRig();
    expect((await call(LIST, { headers: { origin: undefined } })).status).toBe(200);
    for (const site of ['same-origin', 'none'])
      expect((await call(LIST, { headers: { origin: undefined, 'sec-fetch-site': site } })).status).toBe(200);
    for (const site of ['cross-site', 'same-site'])
      expect((await call(LIST, { headers: { origin: undefined, 'sec-fetch-site': site } })).status).toBe(403);
  });

  it('[H1] gets no CORS permission if it is foreign', async () => {
    const { call } = await createServerRig();
    const preflight = await call(OPEN, {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(405);
    for (const response of [preflight, await call(LIST), await call('/')]) {
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('the token', () => {
  it.each([
    ['none', undefined],
    ['an empty one', 'Bearer '],
    ['another', 'Bearer another'],
    ['a longer one', 'Bearer a-token-for-tests-that-is-long-enough-'],
    ['another scheme', 'Basic a-token-for-tests-that-is-long-enough'],
    ['two', 'Bearer a-token-for-tests-that-is-long-enough, Bearer x'],
  ])('[H1] may not be %s', async (_, authorization) => {
    const { call } = await createServerRig();
    for (const path of [
      LIST,
      '/api/v1/openapi.json',
      '/api/v1/events',
      '/api/v1/nothing',
      '/api/',
      '/api/v1/system',
    ]) {
      const response = await call(path, { headers: { authorization } });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expect(await response.json()).toMatchObject({ error: { code: 'TOKEN_REQUIRED' } });
    }
    expect((await call(OPEN, { ...POST, headers: { ...POST.headers, authorization } })).status).toBe(401);
  });

  it('[H7] is reported as wrong or as missing', async () => {
    const { call } = await createServerRig();
    const messageFor = async (authorization: string | undefined) =>
      JSON.stringify(await (await call(LIST, { headers: { authorization } })).json());
    expect(await messageFor('Bearer another')).toContain('The token is not valid');
    expect(await messageFor(undefined)).toContain('Send the token');
  });

  it('[H4] that is wrong counts for its address only', async () => {
    const { app } = await createServerRig();
    const callFrom = (remoteAddress: string, token: string) =>
      app.request(
        `${ORIGIN}${LIST}`,
        { headers: { host: HOST, authorization: `Bearer ${token}` } },
        { incoming: { socket: { remoteAddress } } },
      );
    for (let count = 0; count < 20; count++) await callFrom('10.0.0.1', `wrong-${count}`);
    expect((await callFrom('10.0.0.1', 'one-more')).status).toBe(429);
    expect((await callFrom('10.0.0.2', 'one-more')).status).toBe(401);
    expect((await callFrom('10.0.0.1', TOKEN)).status).toBe(200);
  });

  it('[H1] is accepted in its header only', async () => {
    const { call } = await createServerRig();
    const token = 'a-token-for-tests-that-is-long-enough';
    const headers = { authorization: undefined, cookie: `token=${token}`, 'x-token': token };
    for (const path of [
      `${LIST}?token=${token}`,
      `${LIST}?access_token=${token}`,
      `${LIST}?authorization=Bearer%20${token}`,
    ])
      expect((await call(path, { headers })).status).toBe(401);
  });

  it('[H1] is not needed for pages', async () => {
    const { call } = await createServerRig();
    const response = await call('/', { headers: { authorization: undefined, origin: undefined } });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('CrewAgent is running');
  });
});

describe('every response', () => {
  it('[H7] restricts the browser to our own files', async () => {
    const { call } = await createServerRig();
    const answers = await Promise.all([
      call('/'),
      call(LIST),
      call(LIST, { headers: { authorization: undefined } }),
      call('/', { headers: { host: 'evil.example' } }),
      call('/nothing.js'),
      call('/api/v1/nothing'),
    ]);
    for (const { headers } of answers) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(policy).toContain("require-trusted-types-for 'script'; trusted-types crewagent-worker");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toMatch(/no-store|no-cache/);
      expect(headers.get('server')).toBeNull();
    }
  });

  it('[H7] of the built-in page has no script', async () => {
    const page = await (await (await createServerRig()).call('/')).text();
    expect(page).not.toMatch(/<script|<style|style=|\son\w+=|javascript:/i);
  });

  it('[H20] is 405 for an unsupported method', async () => {
    const { call } = await createServerRig();
    expect((await call(LIST, { method: 'HEAD' })).status).toBe(405);
    expect((await call('/', { method: 'HEAD' })).status).toBe(200);
    expect((await call('/', { method: 'POST' })).status).toBe(405);
    expect((await call('/', { method: 'PURGE', headers: { host: HOST } })).status).toBe(405);
  });
});
