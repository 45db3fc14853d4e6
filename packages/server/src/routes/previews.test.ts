import { describe, expect, it } from 'vitest';
import { createServerRig, type ServerRig, startTestServer } from '../testing/server-rig.ts';
import { MAX_PREVIEWS, PREVIEW_LIFE_MS } from '../waiting-previews.ts';

const HTML = '<h1 onclick="a()">Report</h1><script>b()</script>';
/** Loads the preview as the frame of our page does: without the token or an Origin. */
const FRAME = {
  origin: undefined,
  authorization: undefined,
  'sec-fetch-dest': 'iframe',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'same-origin',
} as const;

const addressOf = async ({ client }: ServerRig, html = HTML): Promise<string> =>
  (await client.previews.create({ body: { html } })).address;

describe('a preview', () => {
  it('[H90] is shown once, without the token', async () => {
    const rig = await createServerRig();
    const address = await addressOf(rig);
    const response = await rig.call(address, { headers: FRAME });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(`<!doctype html><base target="_blank">${HTML}`);
    for (const path of [address, `${address}x`, '/preview/', '/preview/x']) {
      const again = await rig.call(path, { headers: FRAME });
      expect(await again.text()).not.toContain('Report');
      if (path === address) expect(again.status).toBe(404);
    }
  });

  it('[H90] expires', async () => {
    let now = 0;
    const rig = await createServerRig({ monotonicMs: () => now });
    const [first, second] = [await addressOf(rig), await addressOf(rig)];
    now = PREVIEW_LIFE_MS - 1;
    expect((await rig.call(first, { headers: FRAME })).status).toBe(200);
    now = PREVIEW_LIFE_MS;
    expect((await rig.call(second, { headers: FRAME })).status).toBe(404);
  });

  it('[H90] is dropped for newer ones', async () => {
    const rig = await createServerRig();
    const addresses: string[] = [];
    for (let count = 0; count <= MAX_PREVIEWS; count++) addresses.push(await addressOf(rig));
    const statuses = await Promise.all(
      addresses.map(async (address) => (await rig.call(address, { headers: FRAME })).status),
    );
    expect(statuses).toEqual([404, ...Array.from({ length: MAX_PREVIEWS }, () => 200)]);
  });

  it('[H90] may do nothing, and is framed by our page only', async () => {
    const rig = await createServerRig();
    const { headers } = await rig.call(await addressOf(rig), { headers: FRAME });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
      'x-frame-options': 'SAMEORIGIN',
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  });

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another port', { 'sec-fetch-site': 'same-site' }, 403],
    ['the address bar', { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }, 403],
    ['a link', { 'sec-fetch-dest': 'document' }, 403],
    ['an embedded object', { 'sec-fetch-dest': 'object' }, 403],
    ['a script', { 'sec-fetch-dest': 'empty' }, 403],
    ['another name of this machine', { host: 'evil.example:4000' }, 421],
  ])(
    '[H90] is not shown to %s, and stays available for the page that requested it',
    async (_, headers, status) => {
      const rig = await createServerRig();
      const address = await addressOf(rig);
      const rejected = await rig.call(address, { headers: { ...FRAME, ...headers } });
      expect(rejected.status).toBe(status);
      expect(rejected.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect((await rig.call(address, { headers: FRAME })).status).toBe(200);
    },
  );

  it('[H90] supports GET only', async () => {
    const rig = await createServerRig();
    const address = await addressOf(rig);
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE'])
      expect((await rig.call(address, { method, headers: FRAME })).status, method).toBe(405);
    expect((await rig.call(address, { headers: FRAME })).status).toBe(200);
  });

  it.each([
    ['the token', { authorization: undefined }, 401],
    ['an origin', { origin: undefined }, 403],
    ['our origin', { origin: 'http://evil.example' }, 403],
    ['a request of our page', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('[H90] is not accepted without %s', async (_, headers, status) => {
    const { call } = await createServerRig();
    const body = JSON.stringify({ html: HTML });
    const post = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    expect((await call('/api/v1/previews', post)).status).toBe(status);
  });

  it('[H90] is not accepted when it is too long', async () => {
    const { call } = await createServerRig();
    const body = JSON.stringify({ html: 'x'.repeat(12 * 1024 * 1024) });
    const post = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const response = await call('/api/v1/previews', post);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'BODY_TOO_LARGE' } });
  });

  it('[H90] is served over a socket unchanged', async () => {
    const { client, url } = await startTestServer();
    const html = '<p>Grüße, 世界 &amp; 🍞</p>';
    const { address } = await client.previews.create({ body: { html } });
    expect(await (await fetch(url + address)).text()).toContain(html);
    expect((await fetch(url + address)).status).toBe(404);
  });
});

describe('the page', () => {
  it('[H7] frames own documents only, and cannot be framed', async () => {
    const { call } = await createServerRig();
    const { headers } = await call('/', { headers: { origin: undefined, authorization: undefined } });
    const policy = (headers.get('content-security-policy') ?? '').split('; ');
    expect(policy.filter((rule) => /^(?:frame|child)-/.test(rule))).toEqual([
      "frame-src 'self'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get('x-frame-options')).toBe('DENY');
  });
});
