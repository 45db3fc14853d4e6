import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { textReply, toolCallReply } from '../packages/core/src/testing/provider-replies.ts';
import { checkBothThemes } from './look-at-both.ts';
import { type ScriptedProvider, startScriptedModel } from './scripted-model.ts';
import { findIssues, hasChromium, ROOT, startWholePage, type WholePage } from './whole-page.ts';

const SERVER = join(ROOT, 'packages/core/src/testing/mcp-server.mjs');

let whole: WholePage | undefined;
let model: ScriptedProvider | undefined;

afterEach(async () => {
  const complaints = whole?.complaints;
  await whole?.close();
  await model?.close();
  whole = model = undefined;
  expect(complaints).toEqual([]);
});

describe.skipIf(!hasChromium)('MCP servers', () => {
  it('[Y23] are added, tested, enabled and removed in the settings; a failure is shown with stderr', async () => {
    whole = await startWholePage();
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
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('2 servers added.').waitFor();
    await page.getByText('"odd": it has neither "command" nor "url".').waitFor();
    await page.getByText('Stored values: TOKEN').waitFor();
    expect(await page.content()).not.toContain('a-secret-token');

    await page.getByRole('button', { name: 'Test tickets' }).click();
    await page.getByText(/^Answered in \d+ ms with 8 tools\.$/).waitFor();
    await page.getByRole('button', { name: '8 tools' }).click();
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
    await expect.poll(listed).toBeUndefined();
  });

  it('[Y23] [Y9] of a project are approved by their definition; calls ask first and are shown in the conversation', async () => {
    model = await startScriptedModel([
      toolCallReply([{ name: 'mcp_local_echo', arguments: { text: 'from the server' } }]),
      textReply('Enough.'),
    ]);
    whole = await startWholePage({ env: model.env });
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
