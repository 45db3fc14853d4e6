import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from './find-chromium.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const EXAMPLE = join(ROOT, 'examples/create-story-micro');

describe.skipIf(findChromium() === undefined)('the page with the real server behind it', () => {
  let folder: string;
  let server: ChildProcess;
  let address: string;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crewagent-web-'));
    // Nothing is in it: the workflow must ask for what it does not find.
    await mkdir(join(folder, 'home/larder'), { recursive: true });
    ({ server, address } = await startServer(folder));
    browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });

  it('[U43] leads from nothing to a finished workflow, and a reload shows the same', async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 4000 }, locale: 'en-GB' });
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(address);
    expect(page.url()).not.toContain('token');

    await page.getByLabel('Path of a .bmad file or folder').fill(EXAMPLE);
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByRole('list', { name: 'Packages' }).getByText('create-story-micro').waitFor();
    await page.getByRole('button', { name: 'Open a folder' }).click();
    await page.getByRole('button', { name: 'larder' }).click();
    await expect.poll(() => page.getByLabel('Folder', { exact: true }).inputValue()).toMatch(/larder$/);
    await page.getByRole('button', { name: 'Open this folder' }).click();

    await page.getByRole('button', { name: /^Bob/ }).click();
    const menu = page.getByRole('navigation', { name: 'Menu of the agent' });
    await menu.getByRole('button', { name: /create-story/ }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('1');
    await page.keyboard.press('Enter');
    await answerUntilDone(page);

    const story = await storyOf(page);
    expect(story).toContain('Summarise and close');
    await page.reload();
    await page.getByText('The workflow is complete').waitFor();
    await expect.poll(() => storyOf(page)).toBe(story);
    expect(complaints).toEqual([]);
    await page.close();
  }, 120_000);
});

/** On a store of its own, with a home folder of its own and no model: the rehearsal answers. */
async function startServer(folder: string): Promise<{ server: ChildProcess; address: string }> {
  const home = join(folder, 'home');
  const env = {
    PATH: process.env.PATH,
    SystemRoot: process.env.SystemRoot,
    HOME: home,
    USERPROFILE: home,
    CREWAGENT_HOME: join(folder, 'store'),
  };
  const entry = join(ROOT, 'apps/cli/dist/crewagent.js');
  const server = spawn(process.execPath, [entry, 'serve', '--no-open'], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  for await (const text of server.stdout.setEncoding('utf8')) {
    printed += String(text);
    const [address] = /http:\S+#token=\S+/.exec(printed) ?? [];
    if (address !== undefined && printed.endsWith('\n')) return { server, address };
  }
  throw new Error(`The server did not start: ${printed}`);
}

/** Says something to each question and allows each change, as often as the workflow asks. */
async function answerUntilDone(page: Page): Promise<void> {
  const answer = page.getByRole('button', { name: 'Answer', exact: true });
  const allow = page.getByRole('button', { name: 'Allow once' });
  const done = page.getByText('The workflow is complete');
  let questions = 0;
  while (true) {
    await answer.or(allow).or(done).first().waitFor();
    if (await done.isVisible()) break;
    const pressed = (await answer.isVisible()) ? answer : allow;
    if (pressed === answer) {
      questions += 1;
      await page.locator('form').getByRole('textbox').first().fill(`Answer ${questions}`);
    }
    const dock = await pressed.elementHandle();
    await pressed.click();
    await dock?.waitForElementState('hidden');
  }
  expect(questions).toBeGreaterThan(0);
}

async function storyOf(page: Page): Promise<string> {
  return page.getByRole('tabpanel').first().innerText();
}
