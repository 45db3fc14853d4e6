import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { TEAM_ENDPOINTS } from '@crewagent/protocol/api/accounts';
import { createApiClient, createCalls } from '@crewagent/protocol/api/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { rawZip } from '../packages/core/src/testing/packages/raw-zip.ts';
import { tempFolder } from '../packages/core/src/testing/temp-folder.ts';
import { openDatabase } from '../packages/team/src/database/database.ts';
import { initTeam } from '../packages/team/src/init-team.ts';
import { testDatabaseUrl } from '../packages/team/src/testing/team-rig.ts';
import { openWorkspaceRig } from '../packages/team/src/testing/workspace-rig.ts';
import { answerUntilDone } from './answer-until-done.ts';
import { openBrowser } from './browser-contexts.ts';
import { checkBothThemes } from './check-both-themes.ts';
import { hasChromium, ROOT } from './whole-page.ts';

const PASSWORD = 'a long enough password';

/** A server and a worker of a new team, as processes; a link for its administrator. */
async function startTeam(host = '127.0.0.1') {
  const databaseUrl = await testDatabaseUrl();
  await initTeam(databaseUrl, {});
  const folder = await tempFolder();
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    CREWAGENT_HOME: join(folder, 'store'),
    CREWAGENT_SCRATCH: join(folder, 'scratch'),
    CREWAGENT_DATABASE_URL: databaseUrl,
    CREWAGENT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const start = async (args: readonly string[], isReady: RegExp): Promise<string> => {
    const entry = join(ROOT, 'apps/cli/dist/crewagent.js');
    const child: ChildProcess = spawn(process.execPath, [entry, ...args], {
      env,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(async () => {
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
    });
    let printed = '';
    for await (const text of child.stdout ?? []) {
      printed += String(text);
      const [, found] = isReady.exec(printed) ?? [];
      if (found !== undefined) {
        child.stdout?.resume();
        return found;
      }
    }
    throw new Error(`It did not start: ${printed}`);
  };
  const port = await findFreePort();
  const publicUrl = `http://${host}:${port}`;
  const serve = ['serve', '--database-url', databaseUrl, '--port', String(port), '--public-url', publicUrl];
  const url = await start(serve, /served at (\S+)/);
  await start(['worker'], /Worker (\S+) is ready/);
  const { link } = await initTeam(databaseUrl, { email: 'ada@example.com', name: 'Ada', publicUrl: url });
  return { url, link: link ?? '', databaseUrl };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Calls in the session of the page. */
function clientsOf(page: Page, url: string) {
  const send = (async (input: string, init: RequestInit = {}) => {
    const response = await page.request.fetch(input, {
      method: init.method ?? 'GET',
      headers: { ...(init.headers as Record<string, string>), origin: url },
      ...(init.body ? { data: init.body as string } : {}),
    });
    return new Response(response.status() === 204 ? null : await response.text(), {
      status: response.status(),
    });
  }) as unknown as typeof fetch;
  const options = { baseUrl: url, token: undefined, fetch: send };
  return { api: createApiClient(options), team: createCalls(TEAM_ENDPOINTS, options) };
}

describe.skipIf(!hasChromium)('a team server', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  const openPage = async (address: string): Promise<Page> => {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(address);
    return page;
  };

  it('[H1] signs people in, takes a project, runs a workflow on a worker, and shows it to who may see it', async () => {
    const { url, link } = await startTeam();
    const page = await openPage(link);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save and continue' }).click();

    await page.getByRole('button', { name: 'New project' }).click();
    await page.getByLabel('Choose zip').setInputFiles({
      name: 'Plans.zip',
      mimeType: 'application/zip',
      buffer: rawZip([{ name: 'notes.md', data: '# Notes\n' }]),
    });
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.waitForURL(/\/p\/[\w-]{36}$/);
    const projectId = page.url().split('/').at(-1) ?? '';

    const { api, team } = clientsOf(page, url);
    const { package: installed } = await api.packages.installExample({ example: 'hello-branch' });
    const { workId } = await api.works.create({
      body: { projectId, packageHash: installed.hash, kind: 'run', model: 'rehearsal' },
    });
    await page.goto(`${url}/p/${projectId}/w/${workId}`);
    await page.getByRole('button', { name: 'Files', exact: true }).first().click();
    await page.getByRole('treeitem', { name: 'notes.md', exact: true }).waitFor();
    await answerUntilDone(page);
    // The list is told of what the worker checks in, after the run has ended.
    await page.getByRole('treeitem', { name: 'artifacts', exact: true }).waitFor();
    const files = await api.files.list({ projectId, query: { path: '@project' } });
    expect(files.entries.map(({ name }) => name)).toEqual(expect.arrayContaining(['notes.md', 'artifacts']));

    await page.getByRole('button', { name: 'Team' }).click();
    await page.getByText('Signed in as Ada').waitFor();
    await checkBothThemes(page);
    await page.getByRole('button', { name: 'Quotas' }).click();
    await page.getByText('Nothing is limited.').waitFor();
    await page.getByRole('button', { name: 'Set quota' }).click();
    await page.getByLabel('Who').selectOption({ label: 'Ada' });
    await page.getByLabel('Tokens').fill('1,5');
    await page.getByText('Enter a number above 0.').waitFor();
    await page.getByLabel('Tokens').fill('2,000,000');
    await page.getByLabel('Cost in US dollars').fill('20');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Quotas' }).getByText('2M tokens, $20.00 a month').waitFor();
    await page.getByRole('progressbar', { name: 'Used by Ada' }).waitFor();
    await checkBothThemes(page);
    const { link: invitation } = await team.members.invite({ projectId, body: { role: 'view' } });

    const other = await openPage(invitation);
    await other.getByLabel('E-mail address').fill('ben@example.com');
    await other.getByLabel('Your name').fill('Ben');
    await other.getByLabel('Password').fill(PASSWORD);
    await other.getByRole('button', { name: 'Create account and join' }).click();
    await other.getByRole('list', { name: 'Projects' }).getByText('Plans').waitFor();
    await other.goto(`${url}/p/${projectId}/w/${workId}`);
    await other.getByText('Workflow completed').first().waitFor();
    const theirs = clientsOf(other, url);
    await expect(
      theirs.api.works.create({
        body: { projectId, packageHash: installed.hash, kind: 'run', model: 'rehearsal' },
      }),
    ).rejects.toMatchObject({ code: 'ACCESS_DENIED' });

    await other.getByRole('note').getByText('You can view this project.').waitFor();
    expect(await other.getByRole('textbox', { name: 'Message' }).count()).toBe(0);

    // The file list of the project takes more files, and a change that cannot be merged is decided on the page.
    await page.goto(`${url}/p/${projectId}`);
    await page.getByRole('button', { name: 'Upload files' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Choose zip').setInputFiles({
      name: 'more.zip',
      mimeType: 'application/zip',
      buffer: rawZip([{ name: 'more.md', data: '# More\n' }]),
    });
    await dialog.getByRole('button', { name: 'Upload' }).click();
    await dialog.waitFor({ state: 'detached' });
    const now = await api.files.list({ projectId, query: { path: '@project' } });
    expect(now.entries.map(({ name }) => name)).toContain('more.md');

    // A run that waits is handed over, and is in the inbox of both.
    const { personId } = (await theirs.team.account.me()).person;
    await team.members.put({ projectId, personId, body: { role: 'run' } });
    const waiting = await api.works.create({
      body: { projectId, packageHash: installed.hash, kind: 'run', model: 'rehearsal' },
    });
    await page.goto(`${url}/p/${projectId}/w/${waiting.workId}`);
    await page.getByRole('textbox').first().waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Hand over to…' }).click();
    await page.getByRole('dialog').getByLabel('To').selectOption({ label: 'Ben' });
    await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
    await page.getByText('Handed over to Ben').first().waitFor();
    await other.goto(url);
    await other.getByRole('button', { name: 'Team' }).click();
    const inbox = other.getByRole('list', { name: 'Waiting for you' });
    await inbox.getByText('Handed over by Ada').waitFor();
    await checkBothThemes(other);
    await inbox.getByRole('button', { name: /^Remove/ }).click();
    await inbox.getByText('Waits for you').waitFor();

    // A run that asks for what no worker has says so on its page.
    const { workId: queued } = await api.works.create({
      body: { projectId, packageHash: installed.hash, kind: 'run', model: 'rehearsal', labels: ['gpu'] },
    });
    await page.goto(`${url}/p/${projectId}/w/${queued}`);
    await page.getByText('Waiting for a worker with gpu.').waitFor();
    await checkBothThemes(page);

    await page.getByRole('button', { name: 'Team' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(url);
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Projects' }).getByText('Plans').waitFor();
  }, 180_000);

  it('[H1] takes a passkey, and a decision on a change that could not be merged', async () => {
    // Passkeys are bound to a name, never to a number.
    const { url, link, databaseUrl } = await startTeam('localhost');
    const page = await openPage(link);
    const devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal' },
        ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
        automaticPresenceSimulation: true,
      },
    });
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.getByRole('button', { name: 'Team' }).click();
    await page.getByRole('button', { name: 'My account' }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('Passkey added').first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: 'New project' }).waitFor();

    const { team, api } = clientsOf(page, url);
    const { projectId } = await team.teamProjects.create({
      body: { name: 'Plans', source: { kind: 'upload' } },
    });
    // Nobody lists the Works meanwhile, which have no records.
    await page.goto('about:blank');
    await makeConflict(databaseUrl, projectId);
    await page.goto(`${url}/p/${projectId}`);
    await page.getByText('One change could not be merged').waitFor();
    await checkBothThemes(page);
    await page.getByRole('button', { name: 'Review' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('by a person').waitFor();
    await checkBothThemes(page);
    await dialog.getByRole('button', { name: 'Use the change' }).click();
    await page.getByText('One change could not be merged').first().waitFor({ state: 'detached' });
    const read = await api.files.read({ projectId, query: { path: '@project/a.md' } });
    expect(read).toMatchObject({ text: 'by the run\n' });
  }, 180_000);
});

/** Two Works change the same line of a file that a third one has made. */
async function makeConflict(databaseUrl: string, projectId: string): Promise<void> {
  const database = openDatabase(databaseUrl);
  onTestFinished(() => database.close());
  const { openWorkspaces, createWork, change } = await openWorkspaceRig(database);
  const workspaces = await openWorkspaces();
  const open = async () => {
    const rootId = await createWork(projectId);
    return { rootId, workspace: await workspaces.checkOut(rootId) };
  };
  const save = async ({ rootId, workspace }: Awaited<ReturnType<typeof open>>, text: string) => {
    await change(workspace, 'a.md', text);
    await workspace.checkIn({ rootId, epoch: '1' });
  };
  await save(await open(), 'base\n');
  const [one, other] = [await open(), await open()];
  await save(one, 'by a person\n');
  await save(other, 'by the run\n');
  // They have no records that a page could show; what they did to the files stays.
  await database.write('delete from works');
}
