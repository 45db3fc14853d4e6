import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findIssues,
  foundChoices,
  hasChromium,
  readDownload,
  startWholePage,
  type WholePage,
} from './whole-page.ts';

describe.skipIf(!hasChromium)('by keyboard alone', () => {
  let whole: WholePage;
  beforeAll(async () => {
    whole = await startWholePage();
  }, 120_000);

  afterAll(() => whole?.close());

  it('[U43] a first visit leads from Start to an exported result', {
    tags: 'main',
    timeout: 120_000,
  }, async () => {
    const page = await whole.open({ path: '/start' });
    await tabTo(page, page.getByRole('button', { name: 'Try the example' }));
    await page.keyboard.press('Enter');
    await answerAll(page);
    const card = page.getByRole('region', { name: 'Result of the run' });
    await card.getByText(/^Proved: /).waitFor();
    await tabTo(page, card.getByRole('button', { name: 'Export' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await arrowTo(page, page.getByRole('menuitem', { name: 'Hand-over as web page' }));
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(await readDownload(download)).toContain('Larder');
    expect(whole.complaints).toEqual([]);
  });

  describe('in a run that completes by itself', () => {
    let path: string;

    beforeAll(async () => {
      const { packages, projects, works } = whole.api();
      const { projectId } = await projects.open({ body: { path: whole.project } });
      const { package: pkg } = await packages.installExample({ example: 'create-story-micro' });
      const body = { projectId, kind: 'workflow', packageHash: pkg.hash, approval: 'autopilot' } as const;
      const { workId } = await works.create({ body: { ...body, input: '1-2-user-login' } });
      path = `/p/${projectId}/w/${workId}`;
    }, 120_000);

    it('[U541] the replay is opened, moved and left; nothing in it changes the run', async () => {
      const page = await whole.open({ path });
      await page.getByText('Workflow completed').waitFor();
      await choose(page, 'Replay', /^Replay/);
      const slider = page.getByRole('slider', { name: 'Moment' });
      await expect.poll(() => hasFocus(slider)).toBe(true);
      await page.keyboard.press('Home');
      await page.getByText(/^Event 1 of /).waitFor();
      await expect.poll(() => page.url()).toContain('at=');
      expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
      expect(await findIssues(page)).toEqual([]);
      await page.keyboard.press('Shift+ArrowRight');
      await expect.poll(() => slider.getAttribute('aria-valuetext')).not.toMatch(/^Event 1 of /);
      await page.keyboard.press('Escape');
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      expect(page.url()).not.toContain('at=');
      expect(whole.complaints).toEqual([]);
    });

    it('[U541] words of a conversation are found from anywhere, and lead to it', async () => {
      const page = await whole.open({ path: '/packages' });
      await page.getByRole('heading', { name: 'Packages', level: 1 }).waitFor();
      await choose(page, 'placeholder for a real', /placeholder for a real/);
      await expect.poll(() => page.url()).toContain(path);
      expect(whole.complaints).toEqual([]);
    });

    it('[U36] at 200 % nothing is cut off, and axe finds nothing', { timeout: 120_000 }, async () => {
      // A window of 1440 × 900 has half as many CSS pixels then.
      const page = await whole.open({ path, viewport: { width: 720, height: 450 } });
      for (const screen of [path, '/start', '/packages', '/settings']) {
        await page.goto(new URL(screen, page.url()).href);
        await page.getByRole('heading').first().waitFor();
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(720);
        expect(await findIssues(page)).toEqual([]);
      }
      expect(whole.complaints).toEqual([]);
    });
  });
});

const ANSWERS = ['Larder', 'Lists for a household', 'nothing'];

/** Answers questions where the focus is put, until the workflow is complete. */
async function answerAll(page: Page): Promise<void> {
  const answer = page.getByRole('button', { name: /^Answer/ });
  const done = page.getByText('Workflow completed');
  for (;;) {
    await answer.or(done).first().waitFor();
    if (await done.isVisible()) return;
    const fields = page.getByRole('textbox', { name: /\?/ });
    for (const [index, text] of ANSWERS.slice(0, await fields.count()).entries()) {
      await tabTo(page, fields.nth(index));
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Control+Enter');
    await answer.waitFor({ state: 'detached' });
  }
}

/** Finds a command or a text in the palette, and chooses it. */
async function choose(page: Page, typed: string, name: RegExp): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(typed);
  await arrowTo(page, foundChoices(page).getByRole('option', { name }).first());
  await page.keyboard.press('Enter');
}

async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 80; presses++) {
    if (await hasFocus(target)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${String(target)}`);
}

/** In a menu the item has the focus, in a list box it is selected. */
async function arrowTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 40; presses++) {
    if ((await target.getAttribute('aria-selected')) === 'true' || (await hasFocus(target))) return;
    await page.keyboard.press('ArrowDown');
  }
  throw new Error(`The arrow keys do not reach ${String(target)}`);
}

function hasFocus(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement);
}
