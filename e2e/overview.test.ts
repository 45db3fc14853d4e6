import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findIssues, hasChromium, ROOT, startWholePage, type WholePage } from './whole-page.ts';

describe.skipIf(!hasChromium)('the overview of a run', () => {
  let whole: WholePage;
  let path: string;
  let workId: string;

  beforeAll(async () => {
    whole = await startWholePage();
    const { packages, projects, works } = whole.api();
    const example = join(ROOT, 'examples/supper-plan');
    const { package: pkg } = await packages.importPath({ body: { path: example } });
    const { projectId } = await projects.open({ body: { path: whole.project } });
    const body = { projectId, kind: 'workflow', packageHash: pkg.hash, approval: 'autopilot' } as const;
    ({ workId } = await works.create({ body }));
    path = `/p/${projectId}/w/${workId}`;
  }, 120_000);

  afterAll(() => whole?.close());

  const answer = async (): Promise<void> => {
    const { works } = whole.api();
    await expect
      .poll(async () => {
        const { runs } = await works.show({ workId });
        const pending = Object.values(runs).find((run) => run.pending)?.pending;
        if (pending?.kind !== 'question') return false;
        const answers = Object.fromEntries(
          pending.questions.map(({ id, options }) => [id, options?.[0] ?? 'Soup']),
        );
        await works.answer({ workId, body: { callId: pending.callId, answers } });
        return true;
      })
      .toBe(true);
  };

  it('[U541] follows the run, leads to its steps and counts its time, the same after a reload', {
    tags: 'main',
  }, async () => {
    const page = await whole.open({ path });
    await page.getByRole('tab', { name: 'Overview' }).click();
    const card = (name: RegExp) => page.getByRole('group', { name });
    await expect.poll(() => card(/^Choose a dish, in progress/).innerText()).toContain('Waiting for you');
    await answer();
    await card(/^Write the shopping list, done/).waitFor();

    await page.getByRole('button', { name: 'Show the steps of Make the dish' }).click();
    await card(/^Have it tasted, done/).waitFor();
    await card(/^Write the recipe, done/).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focusedLabel(page)).toMatch(/^Have it tasted/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    const header = page.getByRole('heading', { name: 'Write the recipe', level: 3 });
    await expect.poll(() => header.evaluate((element) => element === document.activeElement)).toBe(true);

    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('tab', { name: 'Time' }).click();
    const bars = page.getByRole('group', { name: 'Time by step' }).getByRole('button');
    const labels = (): Promise<readonly string[]> =>
      bars.evaluateAll((all) => all.map((bar) => bar.getAttribute('aria-label') ?? ''));
    await expect.poll(async () => (await labels()).length).toBe(9);
    const live = await labels();
    expect(live[0]).toMatch(/^Choose a dish, .*Waiting for you/);
    expect(await findIssues(page)).toEqual([]);
    await page.reload();
    await page.getByRole('tab', { name: 'Time' }).click();
    await expect.poll(labels).toEqual(live);
    expect(whole.complaints).toEqual([]);
  });
});

function focusedLabel(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
}
