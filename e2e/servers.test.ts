import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOAuthServers } from '../packages/core/src/testing/mcp-http-server.ts';
import { textReply, toolCallReply } from '../packages/core/src/testing/models/provider-replies.ts';
import { checkBothThemes } from './check-both-themes.ts';
import { modelForTest, pageForTest } from './for-one-test.ts';
import { findIssues, hasChromium, ROOT } from './whole-page.ts';

const SERVER = join(ROOT, 'packages/core/src/testing/mcp-server.mjs');

describe.skipIf(!hasChromium)('MCP servers', () => {
  it('are added, tested, enabled and removed in the settings; a failure is shown with stderr', {
    tags: 'main',
  }, async () => {
    const whole = await pageForTest();
    const api = whole.api();
    const page = await whole.open({ path: '/settings/servers' });
    await page.getByText('No MCP servers yet.').waitFor();
    const servers = {
      tickets: { command: process.execPath, args: [SERVER], env: { TOKEN: 'a-secret-token' } },
      broken: { command: process.execPath, args: [SERVER, 'stderr', 'die-at-start'] },
      odd: {},
    };
    await page
      .getByRole('textbox', { name: 'Content of mcp.json' })
      .fill(JSON.stringify({ mcpServers: servers }));
    await page.getByRole('button', { name: 'Show servers' }).click();
    await page.getByText('"odd": it has neither "command" nor "url".').waitFor();
    await page.getByText('Gets the values: TOKEN').waitFor();
    for (const name of ['tickets', 'broken']) await page.getByRole('checkbox', { name }).click();
    await page.getByRole('button', { name: 'Add 2 servers' }).click();
    await page.getByText('2 servers added.').waitFor();
    await page.getByText('Stored values: TOKEN').waitFor();
    expect(await page.content()).not.toContain('a-secret-token');

    await page.getByRole('button', { name: 'Test tickets' }).click();
    await page.getByText(/^Answered in \d+ ms with 11 tools\.$/).waitFor();
    await page.getByRole('button', { name: '11 tools' }).click();
    await page.getByRole('switch', { name: 'die' }).click();
    await page.getByRole('switch', { name: 'Trust tickets' }).click();
    const listed = async () =>
      (await api.servers.list({ query: {} })).servers.find(({ id }) => id === 'tickets');
    await expect.poll(listed).toMatchObject({ server: { trusted: true, disabledTools: ['die'] } });
    await page.getByRole('button', { name: 'Test broken' }).click();
    await page.getByText('The server exited with code 1.').waitFor();
    await page.getByText('Server output').click();
    await page.getByText('cannot open the database').waitFor();
    await checkBothThemes(page);
    expect(await findIssues(page)).toEqual([]);
    await page.getByRole('switch', { name: 'Use tickets' }).click();
    await expect.poll(listed).toMatchObject({ server: { enabled: false } });
    await page.getByRole('button', { name: 'Remove tickets' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(listed).toBeUndefined();
  });

  it('[U360] are signed in to: the address is shown first, the result without a reload, and a sign-out', async () => {
    const oauth = await startOAuthServers({ denies: true });
    const whole = await pageForTest();
    const api = whole.api();
    const server = { enabled: true, trusted: false, disabledTools: [], url: oauth.mcp.url, headers: [] };
    await api.servers.put({ server: 'web', body: { server, values: {} } });
    const page = await whole.open({ path: '/settings/servers' });
    await page.getByRole('button', { name: 'Test web' }).click();
    await page.getByText('Needs sign-in').waitFor();
    const signIn = async () => {
      await page.getByRole('button', { name: 'Sign in to web' }).click();
      const link = page.getByRole('link', { name: 'Open the sign-in page' });
      await link.waitFor();
      const address = (await link.getAttribute('href')) ?? '';
      await page.getByText(address).waitFor();
      await page.getByText(`Sign in at ${new URL(oauth.issuer).host}`).waitFor();
      expect(await findIssues(page)).toEqual([]);
      const opened = page.context().waitForEvent('page');
      await link.click();
      return opened;
    };
    await (await signIn()).getByText('The sign-in did not succeed.').waitFor();
    await page.getByText('The sign-in failed: access was denied.').waitFor();
    oauth.behaviour.denies = false;
    await (await signIn()).getByText('You are signed in.').waitFor();
    await page.getByText('You are signed in.').waitFor();
    expect(await page.content()).not.toContain('secret-');
    await page.getByRole('button', { name: 'Test web' }).click();
    await page.getByText(/^Answered in \d+ ms with 3 tools\.$/).waitFor();
    await checkBothThemes(page);
    await page.getByRole('button', { name: 'Sign out of web' }).click();
    await page.getByText('This server needs a sign-in.').waitFor();
    expect(await findIssues(page)).toEqual([]);
  });

  it('[U360] are added with a form, put into the sandbox, and shown with what they can reach', async () => {
    const whole = await pageForTest();
    const api = whole.api();
    const page = await whole.open({ path: '/settings/servers' });
    const box = (name: string) => page.getByRole('textbox', { name });
    const listed = async () => (await api.servers.list({ query: {} })).servers;
    await box('Name').fill('tickets');
    await box('Program').fill(process.execPath);
    await box('Arguments').fill(SERVER);
    await box('Environment variables').fill('TOKEN');
    await page.getByText('Each line needs a name and a value: NAME=value.').waitFor();
    await box('Environment variables').fill('TOKEN=a-secret-token');
    await page.getByRole('button', { name: 'Add server' }).click();
    await page.getByText('tickets was added.').waitFor();
    await page.getByText('No sandbox: it can do whatever you can do on this computer.').waitFor();
    expect(await listed()).toMatchObject([
      { id: 'tickets', server: { args: [SERVER], env: ['TOKEN'] }, storedValues: ['TOKEN'] },
    ]);
    await page.getByRole('switch', { name: 'Run tickets in a sandbox' }).click();
    await page.getByRole('switch', { name: 'Let tickets use the network' }).click();
    await expect.poll(listed).toMatchObject([{ server: { sandbox: { network: true } } }]);
    await page.getByRole('switch', { name: 'Let tickets record changes with git' }).click();
    await expect.poll(listed).toMatchObject([{ server: { sandbox: { network: true, git: true } } }]);
    await page.getByRole('switch', { name: 'Run tickets in a sandbox' }).click();
    await expect.poll(async () => JSON.stringify(await listed())).not.toContain('sandbox');

    await page.getByText('An address (streamable HTTP)').click();
    await box('Name').fill('far');
    await box('URL').fill('https://tickets.example/mcp');
    await box('Headers').fill('Authorization = Bearer a-secret-token');
    await page.getByRole('button', { name: 'Add server' }).click();
    await page.getByText('far was added.').waitFor();
    await page.getByText('It runs outside of this program; no sandbox contains it.').waitFor();
    expect(await page.content()).not.toContain('a-secret-token');
    await checkBothThemes(page);
    expect(await findIssues(page)).toEqual([]);
  });

  it('[U360] commands are switched on for the project that was opened last, with rules and the sandbox', async () => {
    const whole = await pageForTest();
    const api = whole.api();
    const { projectId } = await api.projects.open({ body: { path: whole.project } });
    const page = await whole.open({ path: '/settings/tools' });
    await page.getByRole('switch', { name: 'Let agents run commands' }).click();
    await page.getByText(/^(?:You approve each command\.|Commands run in a sandbox)/).waitFor();
    const { sandbox } = await api.projects.shell({ projectId });
    if (sandbox.isIsolating) {
      const rules = page.getByRole('textbox', { name: 'Allowed without asking' });
      await rules.fill('npm test; rm x');
      await page.getByText('Use plain words').waitFor();
      await rules.fill('npm test\ncargo check');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect
        .poll(() => api.projects.shell({ projectId }))
        .toMatchObject({ allow: ['npm test', 'cargo check'] });
      await page.getByRole('switch', { name: 'Git may record changes' }).click();
      await expect.poll(() => api.projects.shell({ projectId })).toMatchObject({ git: true });
      await page.getByRole('switch', { name: 'Commands may use the network' }).click();
      await page.getByText(/They reach the hosts below, never this computer/).waitFor();
      await page.getByLabel('Hosts that commands may reach').fill('10.0.0.1');
      await page.getByText('addresses and names of private networks can’t be allowed').waitFor();
      await page.getByLabel('Hosts that commands may reach').fill('api.example.org\n*.example.com:8443');
      await page.getByRole('button', { name: 'Save' }).first().click();
      await expect
        .poll(() => api.projects.shell({ projectId }))
        .toMatchObject({ network: true, hosts: ['api.example.org', '*.example.com:8443'] });
    }
    expect(await api.projects.shell({ projectId })).toMatchObject({ enabled: true });
    await checkBothThemes(page);
    expect(await findIssues(page)).toEqual([]);
  });

  it('[Y9] of a project are approved by what they are; calls ask first and stand in the conversation', async () => {
    const model = await modelForTest([
      toolCallReply([{ name: 'mcp_local_echo', arguments: { text: 'from the server' } }]),
      textReply('Enough.'),
    ]);
    const whole = await pageForTest({ env: model.env });
    const { project } = whole;
    const api = whole.api();
    const { projectId } = await api.projects.open({ body: { path: project } });
    const content = { mcpServers: { local: { command: process.execPath, args: [SERVER] } } };
    await writeFile(join(project, '.mcp.json'), JSON.stringify(content));
    const settings = await whole.open({ path: '/settings/servers', locale: 'zh-CN' });
    await settings.getByRole('button', { name: '批准 local' }).click();
    await settings.getByRole('button', { name: '撤销批准：local' }).waitFor();
    expect(await findIssues(settings)).toEqual([]);

    const { workId } = await api.works.create({ body: { projectId, kind: 'chat' } });
    const page = await whole.open({ path: `/p/${projectId}/w/${workId}`, locale: 'en' });
    await page.getByRole('textbox', { name: 'Message' }).fill('Ask the server.');
    await page.keyboard.press('Enter');
    const dock = page.getByRole('region', { name: 'Allow this action?' });
    await dock.getByText('mcp.local.echo wants to run on local').waitFor();
    await dock.getByText('This acts outside the project and can’t be undone.').waitFor();
    await dock.getByText('"text": "from the server"').waitFor();
    expect(await findIssues(page)).toEqual([]);
    await dock.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('Enough.').waitFor();
    await page.getByText('mcp.local.echo').first().waitFor();
    await expect
      .poll(async () => (await api.servers.list({ query: { projectId } })).servers)
      .toMatchObject([{ id: 'local', isApproved: true, status: { state: 'ready' } }]);
  });
});
