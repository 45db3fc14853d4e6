import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiClient } from '@crewagent/protocol/api/client';
import { toChannel } from '@crewagent/protocol/desktop-bridge';
import { startServer } from '@crewagent/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeProvider } from '../../../packages/core/src/testing/models/fake-provider.ts';
import { startDesktop } from './testing/desktop-rig.ts';
import { findItem } from './testing/fake-electron.ts';

type Rig = Awaited<ReturnType<typeof startDesktop>>;

const EXAMPLE = join(import.meta.dirname, '../../../examples/hello-branch');

const clientOf = ({ server }: Rig) => createApiClient({ baseUrl: server().url, token: server().token });

/** A run in a project; with a model that never answers it stays `Running`. */
async function startWork(rig: Rig, { isHanging = false } = {}) {
  const client = clientOf(rig);
  const project = join(rig.folder, 'project');
  await mkdir(project, { recursive: true });
  const { projectId } = await client.projects.open({ body: { path: project } });
  const { package: installed } = await client.packages.importPath({ body: { path: EXAMPLE } });
  if (isHanging) {
    const provider = await startFakeProvider(() => ({ isHeadless: true, ending: 'hang' }));
    onTestFinished(() => provider.close());
    const settings = { baseUrl: provider.url, model: 'scripted' };
    await client.models.put({ name: 'scripted', body: { settings } });
  }
  const { workId } = await client.works.create({
    body: {
      projectId,
      kind: 'workflow',
      packageHash: installed.hash,
      model: isHanging ? 'scripted' : 'rehearsal',
    },
  });
  return { client, projectId, workId, path: `/p/${projectId}/w/${workId}` };
}

describe('the server', () => {
  it('[G40] starts in this process, and stops with it', async () => {
    const rig = await startDesktop();
    const { url, isOurs } = rig.server();
    expect(isOurs).toBe(true);
    expect(new URL(url).hostname).toBe('127.0.0.1');
    await rig.app.quit();
    expect(rig.seen.isExited).toBe(true);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('[G40] is the one that already holds the store, and keeps running after the window', async () => {
    const first = await startDesktop();
    const second = await startDesktop({ storeRoot: first.store });
    expect(second.server()).toMatchObject({ url: first.server().url, isOurs: false });
    await startWork(second, { isHanging: true });
    await second.app.quit();
    expect(second.questions).toEqual([]);
    expect((await fetch(first.server().url)).ok).toBe(true);
  });

  it('[G40] is replaced when lost; the person is notified, and the page is reloaded at the same view', async () => {
    const other = await startDesktop();
    const rig = await startDesktop({ storeRoot: other.store });
    rig.window.loaded.push(`${rig.server().url}/settings`);
    await other.app.quit();
    await expect.poll(() => rig.servers.length, { timeout: 20_000 }).toBe(2);
    await expect.poll(() => rig.window.loaded.at(-1), { timeout: 20_000 }).toContain('surface=electron');
    expect(rig.server().isOurs).toBe(true);
    expect(rig.window.loaded.at(-1)).toBe(
      `${rig.server().url}/settings#token=${rig.server().token}&surface=electron`,
    );
    expect(rig.notices).toMatchObject([{ title: expect.stringContaining('was restarted') as string }]);
    expect(rig.window.navigates(`${rig.server().url}/start`)).toBe(true);
  });

  it('[G40] of this process is restarted after a crash; the person is notified, and what ran can be resumed', async () => {
    const rig = await startDesktop();
    const { workId, path } = await startWork(rig, { isHanging: true });
    rig.window.loaded.push(`${rig.server().url}${path}`);
    // Its sockets close and it answers nobody, as after an error that it could not handle.
    await rig.server().stop();
    await expect.poll(() => rig.servers.length, { timeout: 20_000 }).toBe(2);
    const { url, token, isOurs } = rig.server();
    expect(isOurs).toBe(true);
    await expect
      .poll(() => rig.window.loaded.at(-1), { timeout: 20_000 })
      .toBe(`${url}${path}#token=${token}&surface=electron`);
    expect(rig.notices).toMatchObject([{ title: expect.stringContaining('was restarted') as string }]);
    const client = createApiClient({ baseUrl: url, token, surface: 'electron' });
    const { work } = await client.works.show({ workId });
    expect(work).toMatchObject({ phase: 'WaitingUser', reason: { code: 'stopped' } });
  });
});

describe('the window', () => {
  it('[G20] hides when it is closed, and is shown again', async () => {
    const { window, app } = await startDesktop();
    expect(window.closes()).toBe(false);
    expect(window.isShown).toBe(false);
    await app.open([]);
    expect(window.isShown).toBe(true);
    await app.quit();
    expect(window.closes()).toBe(true);
  });

  it('[G40] is reloaded after a crash, but not after repeated crashes', async () => {
    const { window } = await startDesktop();
    window.crash('clean-exit');
    expect(window.reloads).toBe(0);
    for (let count = 0; count < 6; count += 1) window.crash();
    expect(window.reloads).toBe(3);
  });

  it('[G20] opens with its last position and size', async () => {
    const { window } = await startDesktop();
    expect(window.options).toMatchObject({ width: 1280, height: 860, show: false });
    window.reshape({ x: 1, y: 2, width: 800, height: 600 });
    expect(window.isShown).toBe(true);
  });
});

describe('quitting', () => {
  it('[G40] asks while something is running, and stops it in a resumable state', async () => {
    const rig = await startDesktop();
    const { client, workId } = await startWork(rig, { isHanging: true });
    const isRunning = async () => (await client.works.list()).works.some(({ phase }) => phase === 'Running');
    await expect.poll(isRunning, { timeout: 20_000 }).toBe(true);
    await expect
      .poll(
        async () => {
          rig.person.agrees = false;
          await rig.app.quit();
          return rig.questions.length;
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(0);
    expect(rig.questions[0]?.message).toContain('running');
    expect(rig.seen.isExited).toBe(false);
    rig.person.agrees = true;
    await rig.app.quit();
    expect(rig.seen.isExited).toBe(true);
    const again = await startServer({ storeRoot: rig.store, env: {} });
    onTestFinished(() => again.stop());
    const { works } = await createApiClient({ baseUrl: again.url, token: again.token }).works.list();
    expect(works.find((work) => work.workId === workId)).toMatchObject({
      phase: 'WaitingUser',
      reason: { code: 'stopped' },
    });
  });

  it('[G40] does not ask while nothing is running', async () => {
    const { app, questions, seen } = await startDesktop();
    await app.quit();
    expect(questions).toEqual([]);
    expect(seen.isExited).toBe(true);
  });
});

describe('waiting works', () => {
  it('[G20] are counted, and a notification opens them', async () => {
    const rig = await startDesktop();
    rig.window.hasFocus = false;
    const { path } = await startWork(rig);
    await expect.poll(() => rig.seen.badge, { timeout: 20_000 }).toBe(1);
    expect(rig.seen.tray.tooltip).toContain('1 conversation is waiting for you');
    await expect.poll(() => rig.notices.length, { timeout: 20_000 }).toBe(1);
    rig.notices[0]?.onClick();
    expect(rig.window.sent).toContainEqual({ kind: 'go', path });
    expect(rig.window.isShown).toBe(true);
  });
});

describe('the menu', () => {
  it('[G20] opens a folder as a project, and adds it to the recent folders', async () => {
    const rig = await startDesktop();
    rig.person.folder = join(rig.folder, 'chosen');
    await mkdir(rig.person.folder);
    findItem(rig.seen.menu, 'File', 'Open folder…')?.click?.();
    await expect.poll(() => rig.window.sent.length, { timeout: 20_000 }).toBe(1);
    const { projects } = await clientOf(rig).projects.list();
    expect(rig.window.sent).toEqual([{ kind: 'go', path: `/p/${projects[0]?.projectId}` }]);
    expect(rig.seen.recent).toEqual([rig.person.folder]);
  });

  it('[G20] stops and resumes the visible Work, and starts in the visible project', async () => {
    const rig = await startDesktop();
    const { client, workId, projectId, path } = await startWork(rig, { isHanging: true });
    const phase = async () => (await client.works.show({ workId })).work.phase;
    await expect.poll(phase, { timeout: 20_000 }).toBe('Running');
    rig.window.loaded.push(`${rig.server().url}${path}`);
    findItem(rig.seen.menu, 'Run', 'Stop')?.click?.();
    await expect.poll(phase, { timeout: 20_000 }).toBe('WaitingUser');
    findItem(rig.seen.menu, 'Run', 'Resume')?.click?.();
    await expect.poll(phase, { timeout: 20_000 }).toBe('Running');
    findItem(rig.seen.menu, 'File', 'New conversation')?.click?.();
    findItem(rig.seen.menu, 'View', 'Next tab')?.click?.();
    expect(rig.window.sent).toEqual([
      { kind: 'go', path: `/p/${projectId}` },
      { kind: 'tab', step: 1 },
    ]);
  });

  it('[G20] shows a failure in a dialog', async () => {
    const rig = await startDesktop();
    rig.person.folder = join(rig.folder, 'nowhere');
    findItem(rig.seen.menu, 'File', 'Open folder…')?.click?.();
    await expect.poll(() => rig.seen.errors.length, { timeout: 20_000 }).toBe(1);
    expect(rig.seen.errors[0]).toContain('The action could not be completed.');
  });

  it('[G20] follows the language and the theme of the page', async () => {
    const rig = await startDesktop();
    const ours = { frameUrl: rig.window.url(), isMainFrame: true };
    await rig.handlers.get(toChannel('setAppearance'))?.(ours, [{ language: 'zh-CN', theme: 'dark' }]);
    expect(findItem(rig.seen.menu, '文件', '打开文件夹…')).toBeDefined();
    expect(rig.seen.tray.tooltip).toContain('没有等待你处理的任务');
    expect(rig.seen.theme).toBe('dark');
  });
});

describe('an external request', () => {
  it('[G20] installs a package after confirmation, and shows it', async () => {
    const rig = await startDesktop();
    const file = join(rig.folder, 'hello');
    await cp(EXAMPLE, file, { recursive: true });
    rig.person.agrees = false;
    await rig.app.open([{ kind: 'package', file }]);
    expect((await clientOf(rig).packages.list()).packages).toEqual([]);
    rig.person.agrees = true;
    await rig.app.open([{ kind: 'package', file }]);
    const { packages } = await clientOf(rig).packages.list();
    expect(packages).toHaveLength(1);
    expect(rig.window.sent).toEqual([{ kind: 'go', path: `/packages/${packages[0]?.hash}` }]);
    await rig.app.open([{ kind: 'package', file: join(rig.folder, 'none.bmad') }]);
    expect(rig.seen.errors).toHaveLength(1);
  });

  it('[G20] opens the view of a link', async () => {
    const rig = await startDesktop();
    await rig.app.open([{ kind: 'view', path: '/settings' }]);
    expect(rig.window.sent).toEqual([{ kind: 'go', path: '/settings' }]);
  });
});
