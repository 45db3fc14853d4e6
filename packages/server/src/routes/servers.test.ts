import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOAuthServers } from '../../../core/src/testing/mcp-http-server.ts';
import { processesIn } from '../../../core/src/testing/views.ts';
import { createServerRig } from '../testing/server-rig.ts';

const SCRIPT = join(import.meta.dirname, '../../../core/src/testing/mcp-server.mjs');
const SWITCHES = { enabled: true, trusted: false, disabledTools: [] };
const STDIO = { ...SWITCHES, command: process.execPath, args: [SCRIPT], env: [], inheritEnv: [] };

describe('MCP servers', () => {
  it('are added, switched, tested and removed; values are write-only', async () => {
    const { client, root } = await createServerRig();
    const params = { server: 'tickets' };
    const body = { server: STDIO, values: { TOKEN: 'a-secret-token' } };
    await client.servers.put({ ...params, body });
    const listed = await client.servers.list({ query: {} });
    expect(listed).toMatchObject({
      enabled: true,
      servers: [
        {
          id: 'tickets',
          origin: 'user',
          isApproved: true,
          storedValues: ['TOKEN'],
          status: { state: 'stopped' },
        },
      ],
    });
    expect(JSON.stringify([listed, await client.settings.show()])).not.toContain('a-secret-token');
    await client.servers.update({ ...params, body: { trusted: true, disabledTools: ['die'] } });
    expect(await client.servers.list({ query: {} })).toMatchObject({
      servers: [{ server: { trusted: true, disabledTools: ['die'], command: process.execPath } }],
    });
    const tested = await client.servers.test({ ...params, body: {} });
    expect(tested).toMatchObject({
      ok: true,
      tools: expect.arrayContaining([
        { name: 'mcp.tickets.look', ownName: 'look', description: 'Reads something.', isReadOnly: true },
      ]) as unknown,
    });
    await client.servers.remove(params);
    expect((await client.servers.list({ query: {} })).servers).toEqual([]);
    expect(await readFile(join(root, 'store/secrets.json'), 'utf8')).not.toContain('a-secret-token');
    await expect(client.servers.test({ ...params, body: {} })).rejects.toMatchObject({
      code: 'MCP_SERVER_NOT_FOUND',
    });
  });

  it('[H20] a sign-in is started, listed with its page until it ends, and failed or deleted afterwards', async () => {
    const oauth = await startOAuthServers();
    const { client } = await createServerRig();
    const params = { server: 'web', body: {} };
    const server = { ...SWITCHES, url: oauth.mcp.url, headers: [] };
    await client.servers.put({ server: 'web', body: { server, values: {} } });
    const find = async () => (await client.servers.list({ query: {} })).servers[0];
    expect(await client.servers.test(params)).toMatchObject({ ok: false, needsLogin: true });
    expect(await find()).toMatchObject({ status: { state: 'needs-login' } });
    const cancelled = await client.servers.login(params);
    expect(await find()).toMatchObject({
      login: { isSignedIn: false, isRequired: true, url: cancelled.url },
    });
    const { url } = await client.servers.login(params);
    expect(url).not.toBe(cancelled.url);
    await expect(fetch(cancelled.url)).rejects.toThrow();
    await fetch(url);
    await expect.poll(find).toMatchObject({ login: { isSignedIn: true, isRequired: false } });
    const listed = await find();
    expect(listed?.login?.url).toBeUndefined();
    expect(JSON.stringify([listed, await client.servers.test(params)])).not.toContain('secret-');
    const further = await client.servers.login(params);
    await client.servers.logout(params);
    await expect(fetch(further.url)).rejects.toThrow();
    expect(await find()).toMatchObject({ login: { isSignedIn: true } });
    await client.servers.logout(params);
    expect(await find()).toMatchObject({ login: { isSignedIn: false, isRequired: true } });
    oauth.behaviour.denies = true;
    await fetch((await client.servers.login(params)).url);
    await expect.poll(find).toMatchObject({ login: { error: 'The sign-in failed: access was denied.' } });
    oauth.behaviour.refusesRegistration = true;
    await expect(client.servers.login(params)).rejects.toMatchObject({ code: 'MCP_LOGIN_FAILED' });
  });

  it('that fail a test are reported with the reason and stderr, and leave no process', async () => {
    const { client, root } = await createServerRig();
    const params = { server: 'broken' };
    const server = { ...STDIO, args: [SCRIPT, 'stderr', 'die-at-start'] };
    await client.servers.put({ ...params, body: { server, values: {} } });
    expect(await client.servers.test({ ...params, body: {} })).toMatchObject({
      ok: false,
      error: 'The server exited with code 1.',
      stderr: 'cannot open the database',
      tools: [],
    });
    await expect.poll(() => processesIn(root)).toEqual([]);
  });

  it('[Y9] of a text are shown exactly as they would be started, without values, before any is added', async () => {
    const { client } = await createServerRig();
    const a = { command: 'npx', args: ['-y', 'x y'], env: { KEY: 'secret-value' } };
    const text = JSON.stringify({ mcpServers: { a, b: { url: 'https://b.example/mcp' }, c: {} } });
    await client.servers.import({ body: { text, servers: ['b'] } });
    const preview = await client.servers.previewImport({ body: { text } });
    expect(preview).toMatchObject({
      servers: [
        { id: 'a', server: { command: 'npx', args: ['-y', 'x y'], env: ['KEY'] } },
        { id: 'b', server: { url: 'https://b.example/mcp' }, isKnown: true },
      ],
      issues: [expect.stringContaining('"c"') as string],
    });
    expect(JSON.stringify(preview)).not.toContain('secret-value');
    await expect(client.servers.import({ body: { text, servers: ['z'] } })).rejects.toMatchObject({
      code: 'MCP_SERVER_NOT_FOUND',
    });
  });

  it('are imported from a text; a project approves its own by the hash that was shown', async () => {
    const { client, root } = await createServerRig();
    const text = JSON.stringify({ mcpServers: { a: { command: 'a' }, b: {} } });
    expect(await client.servers.import({ body: { text } })).toMatchObject({ added: [] });
    expect((await client.servers.list({ query: {} })).servers).toEqual([]);
    expect(await client.servers.import({ body: { text, servers: ['a'] } })).toMatchObject({
      added: ['a'],
      issues: [expect.any(String)],
    });
    await expect(client.servers.import({ body: { text: '[' } })).rejects.toMatchObject({
      code: 'MCP_CONFIG_INVALID',
    });
    const folder = join(root, 'project');
    const { projectId } = await client.projects.open({ body: { path: folder } });
    await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { local: { command: 'x' } } }));
    const query = { projectId };
    const find = async () =>
      (await client.servers.list({ query })).servers.find(({ origin }) => origin === 'project');
    const shown = await find();
    expect(shown).toMatchObject({ id: 'local', isApproved: false });
    const params = { projectId, server: 'local' };
    await expect(client.servers.approve({ ...params, body: { hash: 'a'.repeat(64) } })).rejects.toMatchObject(
      {
        code: 'MCP_SERVER_NOT_FOUND',
      },
    );
    await client.servers.approve({ ...params, body: { hash: shown?.hash ?? '' } });
    expect(await find()).toMatchObject({ isApproved: true });
    await client.servers.revoke(params);
    expect(await find()).toMatchObject({ isApproved: false });
  });
});
