/**
 * `crewagent serve --app` on a virtual display: the window of a real browser, clicked through, closed, and opened again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM_ARGS } from '../scripts/chromium-args.mjs';
import { ROOT } from './whole-page.ts';

const findProgram = (...names: readonly string[]): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));

const xvfb = findProgram('Xvfb');
// A headless shell has no windows.
const browser = findProgram('chromium', 'google-chrome', 'google-chrome-stable');
if (!xvfb || !browser) console.error('SKIPPED: app windows need Xvfb and an installed Chromium or Chrome.');

describe.skipIf(!xvfb || !browser)('an app window', () => {
  let folder: string;
  let display: ChildProcess;
  let server: ChildProcess | undefined;
  let env: Record<string, string>;
  let debugPort: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crewagent-window-'));
    await mkdir(join(folder, 'home/larder'), { recursive: true });
    debugPort = await findFreePort();
    // The product starts the browser itself; the test joins through its debugging port.
    const wrapper = join(folder, 'browser.sh');
    const args = [...CHROMIUM_ARGS, `--remote-debugging-port=${debugPort}`];
    await writeFile(wrapper, `#!/bin/sh\nexec '${browser}' ${args.join(' ')} "$@"\n`);
    await chmod(wrapper, 0o755);
    display = spawn(xvfb ?? '', ['-displayfd', '1', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [number] = (await once(display.stdout ?? process.stdin, 'data')) as [Buffer];
    env = {
      PATH: process.env.PATH ?? '',
      HOME: join(folder, 'home'),
      CREWAGENT_HOME: join(folder, 'store'),
      CREWAGENT_CHROMIUM: wrapper,
      DISPLAY: `:${String(number).trim()}`,
      LANG: 'en_US.UTF-8',
    };
  }, 120_000);

  afterAll(async () => {
    const ended = server && once(server, 'exit');
    server?.kill('SIGINT');
    await ended;
    display?.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Runs the command; it stays where the server is its own. */
  const serveApp = (): ChildProcess =>
    spawn(process.execPath, [join(ROOT, 'apps/cli/dist/crewagent.js'), 'serve', '--app'], {
      env,
      cwd: folder,
      stdio: 'ignore',
    });

  const joinWindow = async (): Promise<{ page: Page; close: () => Promise<void> }> => {
    const joined = await joinBrowser(debugPort);
    const [context] = joined.contexts();
    if (!context) throw new Error('the browser has no window');
    const page = context.pages()[0] ?? (await context.waitForEvent('page'));
    const close = async (): Promise<void> => {
      const gone = new Promise((resolve) => joined.once('disconnected', resolve));
      await page.close();
      // With its last window the browser ends.
      await gone;
    };
    return { page, close };
  };

  const newIn = async (page: Page, kind: string): Promise<void> => {
    await page.getByRole('radiogroup', { name: 'What to start' }).getByText(kind, { exact: true }).click();
  };

  it('[G1] leads from an agent to a workflow, and from a workflow to its end; reopened it is where it was', async () => {
    server = serveApp();
    const { page, close } = await joinWindow();
    await page.getByRole('heading', { name: 'CrewAgent', level: 1 }).waitFor();
    // It is an app window: the page knows it, and shows the menu of one.
    await expect.poll(() => page.evaluate(() => matchMedia('(display-mode: browser)').matches)).toBe(false);
    await page.getByRole('button', { name: 'Open a folder', exact: true }).click();
    await page.getByRole('textbox', { name: 'Folder', exact: true }).fill(join(folder, 'home/larder'));
    await page.getByRole('button', { name: 'Open this folder' }).click();
    await page.getByRole('radiogroup', { name: 'What to start' }).waitFor();
    const project = new URL(page.url()).pathname;
    await page.goto(new URL('/packages', page.url()).href);
    await page.getByRole('button', { name: 'Use Multi workflows' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toContain(`${project}/new/`);

    // Agent first: an item of the menu starts its workflow.
    await page.goto(new URL(project, page.url()).href);
    await newIn(page, 'Agent');
    await page.getByRole('button', { name: /Mary/ }).click();
    const menu = page.getByRole('navigation', { name: 'Agent menu' });
    await menu.getByRole('button', { name: /todos/ }).waitFor();
    await menu.getByRole('button', { name: /hello/ }).first().click();
    await answerAll(page, 'Outline a topic');

    // Workflow first: it is started, answered, and completes.
    await page.goto(new URL(project, page.url()).href);
    await newIn(page, 'Workflow');
    await page.getByRole('button', { name: 'Start workflow' }).click();
    await answerAll(page, 'Tides');
    const view = new URL(page.url()).pathname;
    expect(view).toMatch(/\/w\//);

    await close();
    const exited = once(serveApp(), 'exit');
    const reopened = await joinWindow();
    await expect.poll(() => new URL(reopened.page.url()).pathname).toBe(view);
    await reopened.page.getByRole('textbox', { name: 'Message' }).waitFor();
    // The server is still the first one.
    expect(await exited).toEqual([0, null]);
    await reopened.close();
  }, 180_000);
});

/** Answers what is asked until the run is complete. */
async function answerAll(page: Page, words: string): Promise<void> {
  const answer = page.getByRole('button', { name: 'Answer', exact: true });
  const completed = page.getByText('Workflow completed').first();
  for (;;) {
    await answer.or(completed).first().waitFor();
    if (await completed.isVisible()) return;
    const dock = page.getByRole('region', { name: /question/ });
    for (const field of await dock.locator('form').getByRole('textbox').all()) await field.fill(words);
    for (const group of await dock.getByRole('radiogroup').all())
      await group.getByRole('radio').first().click();
    const pressed = await answer.elementHandle();
    await answer.click();
    await pressed?.waitForElementState('hidden');
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

const START_LIMIT_MS = 60_000;

/** The browser is started by the product and needs a while. */
async function joinBrowser(port: number): Promise<Browser> {
  const until = Date.now() + START_LIMIT_MS;
  for (;;) {
    try {
      return await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
