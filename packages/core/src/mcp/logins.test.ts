import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import { describe, expect, it } from 'vitest';
import { type OAuthBehaviour, type OAuthServers, startOAuthServers } from '../testing/mcp-http-server.ts';
import { type ProviderReply, textReply, toolCallReply } from '../testing/models/provider-replies.ts';
import { createMcpRig, type McpRig, testServer as testServerOf } from '../testing/rigs/mcp-rig.ts';
import { requireSafeAddress } from './auth-fetch.ts';
import { listServers } from './list-servers.ts';
import { logInToServer, logOutOfServer } from './manage-logins.ts';
import { putServer, removeServer, testServer } from './manage-servers.ts';

const { signal } = new AbortController();
const call = (name: string): ProviderReply => toolCallReply([{ name, arguments: {} }]);
const ping = (): ProviderReply => call('mcp_web_ping');

async function rigFor(
  script: readonly ProviderReply[] = [],
  behaviour: OAuthBehaviour = {},
): Promise<McpRig & { readonly servers: OAuthServers }> {
  const servers = await startOAuthServers(behaviour);
  const rig = await createMcpRig(script, { web: { url: servers.mcp.url, trusted: true } });
  return { ...rig, servers };
}

/** Signs in like a browser that follows redirects; returns the text of the last page. */
async function signIn({ runtime }: McpRig): Promise<string> {
  const { url, done } = await logInToServer(runtime.store, 'web', { signal });
  const page = await (await fetch(url)).text();
  await done;
  return page;
}

const statusOf = async ({ runtime }: McpRig) => (await listServers(runtime.store)).servers[0];

const resultsIn = (events: readonly RunEvent[]): unknown[] =>
  events
    .filter((event): event is EventOf<'tool.ended'> => event.type === 'tool.ended')
    .map(({ content }) => JSON.parse(content) as unknown);

describe('a server that requires a login', () => {
  it('[Y32] needs a login until a person signs in; then its tools work, and logout deletes the tokens', async () => {
    const rig = await rigFor([ping(), textReply('.')]);
    const { store } = rig.runtime;
    expect(await testServer(store, 'web', { signal })).toMatchObject({ ok: false, needsLogin: true });
    expect(await statusOf(rig)).toMatchObject({
      status: { state: 'needs-login' },
      login: { isSignedIn: false, isRequired: true },
    });
    expect(await signIn(rig)).toContain('You are signed in.');
    expect(await statusOf(rig)).toMatchObject({
      status: { state: 'stopped' },
      login: { isSignedIn: true, isRequired: false },
    });
    expect(await testServer(store, 'web', { signal })).toMatchObject({ ok: true });
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    expect(resultsIn(events)).toEqual([{ ok: true, text: 'pong' }]);
    expect(await logOutOfServer(store, 'web')).toBe(true);
    expect(await logOutOfServer(store, 'web')).toBe(false);
    expect(await statusOf(rig)).toMatchObject({ status: { state: 'needs-login' } });
    const secrets = await readFile(join(store.root, 'secrets.json'), 'utf8');
    expect(rig.servers.secrets.filter((secret) => secrets.includes(secret))).toEqual([]);
  });

  it('[Y32] the tokens are for its resource, bound to its URL, and deleted with it', async () => {
    const rig = await rigFor();
    const { store } = rig.runtime;
    await signIn(rig);
    expect(rig.servers.forms[0]?.get('resource')).toBe(rig.servers.mcp.url);
    const other = await startOAuthServers();
    await putServer(store, 'web', { ...SWITCHES, url: other.mcp.url, headers: [] });
    expect(await testServer(store, 'web', { signal })).toMatchObject({ needsLogin: true });
    expect(other.mcp.tokens.filter((token) => token !== undefined)).toEqual([]);
    await removeServer(store, 'web');
    expect(await readFile(join(store.root, 'secrets.json'), 'utf8')).not.toContain('secret-');
  });

  it('[Y32] renews tokens that the server rejects; without that the call ends with the need to sign in', async () => {
    const rig = await rigFor([ping(), textReply('.'), ping(), textReply('.'), ping(), textReply('.')]);
    const { servers } = rig;
    await signIn(rig);
    const { session, events } = await rig.chat('autopilot');
    servers.expireTokens();
    await session.input('go');
    expect(servers.forms.map((form) => form.get('grant_type'))).toEqual([
      'authorization_code',
      'refresh_token',
    ]);
    expect(servers.forms[1]?.get('resource')).toBe(servers.mcp.url);
    servers.expireTokens();
    servers.behaviour.refusesRefresh = true;
    await session.input('go');
    expect(resultsIn(events)).toMatchObject([
      { ok: true, text: 'pong' },
      {
        error: {
          code: 'MCP_LOGIN_REQUIRED',
          message: expect.stringContaining('crewagent mcp login web') as string,
        },
      },
    ]);
    // A run neither registers a client nor starts a login.
    expect(servers.requests.filter((path) => /register|authorize/.test(path))).toHaveLength(2);
    expect(await statusOf(rig)).toMatchObject({ status: { state: 'needs-login' } });
    await signIn(rig);
    await session.input('go');
    expect(resultsIn(events)[2]).toEqual({ ok: true, text: 'pong' });
  });

  it('[Y32] that wants a further scope gets it with the next sign-in, and stays usable without it', async () => {
    const rig = await rigFor([ping(), textReply('.'), ping(), textReply('.')]);
    const { servers } = rig;
    await signIn(rig);
    const { session, events } = await rig.chat('autopilot');
    await session.input('hello');
    servers.behaviour.scope = 'write';
    await session.input('go');
    expect(resultsIn(events)).toMatchObject([{ ok: true }, { error: { code: 'MCP_LOGIN_REQUIRED' } }]);
    expect(await listServers(rig.runtime.store)).toMatchObject({
      servers: [{ login: { isSignedIn: true, isRequired: true } }],
    });
    await signIn(rig);
    expect(await testServer(rig.runtime.store, 'web', { signal })).toMatchObject({ ok: true });
  });

  it('[Y4] tokens, codes and client secrets are in secrets.json only: not in logs, results or lists', async () => {
    const rig = await rigFor([call('mcp_web_whoami'), textReply('.')]);
    const { store } = rig.runtime;
    await signIn(rig);
    const { session, events } = await rig.chat('autopilot');
    await session.input('go');
    expect(resultsIn(events)).toEqual([{ ok: true, text: 'Bearer [hidden]' }]);
    await session.close();
    const shown = JSON.stringify([
      events,
      await listServers(store),
      await testServer(store, 'web', { signal }),
    ]);
    expect(shown).not.toContain('secret-');
    const files = execFileSync('grep', ['-rl', 'secret-', store.root], { encoding: 'utf8' });
    expect(files.trim()).toBe(join(store.root, 'secrets.json'));
  });
});

describe('a sign-in', () => {
  it.each([
    [{ denies: true }, 'The sign-in failed: access was denied.'],
    [{ wrongIssuer: true }, 'The sign-in failed: '],
    [{ refusesRegistration: true }, 'The registration of this program failed: '],
    [{ metadata: { issuer: 'https://another.example' } }, 'The search for the authorization server failed: '],
    [
      { metadata: { authorization_endpoint: 'http://example.com/' } },
      'The address of the sign-in page failed: ',
    ],
    [{ metadata: { authorization_endpoint: 'file:///etc/passwd' } }, ' failed: '],
    [{ metadata: { token_endpoint: 'http://example.com/token' } }, 'The sign-in failed: '],
  ])('[Y32] with %j fails, names the step, and stores no token', async (behaviour, message) => {
    const rig = await rigFor([], behaviour);
    await expect(signIn(rig)).rejects.toMatchObject({
      code: 'MCP_LOGIN_FAILED',
      message: expect.stringContaining(message) as string,
    });
    expect(await statusOf(rig)).not.toMatchObject({ login: { isSignedIn: true } });
  });

  it.each([undefined, [], ['plain'], ['s256']])(
    '[Y32] is refused before this program is registered if the metadata names %j as challenge methods',
    async (methods) => {
      const rig = await rigFor([], { metadata: { code_challenge_methods_supported: methods } });
      await expect(signIn(rig)).rejects.toMatchObject({
        code: 'MCP_LOGIN_FAILED',
        message: expect.stringMatching(
          /^The check of the authorization server failed: it does not support PKCE/,
        ) as string,
      });
      expect(rig.servers.forms).toEqual([]);
      expect(await statusOf(rig)).not.toMatchObject({ login: { isSignedIn: true } });
    },
  );

  it('[Y32] ignores a redirect with another state, and ends when it is cancelled; its port is closed', async () => {
    const rig = await rigFor([], { wrongState: true });
    const controller = new AbortController();
    const { url, done } = await logInToServer(rig.runtime.store, 'web', { signal: controller.signal });
    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('does not belong')]);
    // A path that is not a URL.
    expect((await fetch(`${new URL(page.url).origin}//`)).status).toBe(400);
    controller.abort();
    await expect(done).rejects.toThrow('The sign-in failed: it was cancelled.');
    await expect(fetch(page.url)).rejects.toThrow();
    expect(rig.servers.forms).toEqual([]);
  });

  it('[Y32] accepts one redirect, and closes its port', async () => {
    const rig = await rigFor();
    const { url, done } = await logInToServer(rig.runtime.store, 'web', { signal });
    const { url: callback, headers } = await fetch(url);
    await done;
    expect(callback).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\?/);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    await expect(fetch(callback)).rejects.toThrow();
  });

  it('[Y32] uses a client that the person registered', async () => {
    const rig = await rigFor([], { refusesRegistration: true });
    const { url, done } = await logInToServer(rig.runtime.store, 'web', { client: { id: 'mine' }, signal });
    await fetch(url);
    await done;
    expect(rig.servers.forms[0]?.get('client_id')).toBe('mine');
  });

  it('[Y32] is for servers over HTTP that ask for it', async () => {
    const rig = await createMcpRig([], { test: testServerOf('x'), web: { url: 'http://example.com/mcp' } });
    for (const [id, message] of [
      ['test', 'is a program'],
      ['web', 'does not use https'],
      ['none', 'There is no MCP server'],
    ] as const)
      await expect(logInToServer(rig.runtime.store, id, { signal })).rejects.toThrow(message);
  });

  it.each([
    ['https://10.0.0.1/token', 'https://1.1.1.1/mcp', false],
    ['https://localhost/token', 'https://1.1.1.1/mcp', false],
    ['https://[::1]/token', 'https://1.1.1.1/mcp', false],
    ['https://[::ffff:192.168.1.1]/token', 'https://1.1.1.1/mcp', false],
    ['http://127.0.0.1/token', 'https://1.1.1.1/mcp', false],
    ['https://me:you@1.1.1.1/token', 'https://1.1.1.1/mcp', false],
    ['http://1.1.1.1/token', 'https://1.1.1.1/mcp', false],
    ['https://8.8.8.8/token', 'https://1.1.1.1/mcp', true],
    ['https://10.0.0.1/token', 'https://10.0.0.2/mcp', true],
    ['http://127.0.0.1:1/token', 'http://127.0.0.1:2/mcp', true],
  ])('[Y4] requests %s on behalf of %s: %j', async (address, server, isSafe) => {
    const checked = requireSafeAddress(new URL(address), new URL(server));
    await (isSafe ? expect(checked).resolves.toBeUndefined() : expect(checked).rejects.toThrow(TypeError));
  });
});

const SWITCHES = { enabled: true, trusted: false, disabledTools: [] };
