import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, startWholePage, type WholePage } from './whole-page.ts';

/** Sum of the shifts that no input explains: what a person would see jump. */
const MOST = 0.02;

interface ShiftEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

async function countShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as ShiftEntry[])
        if (!entry.hadRecentInput) shifts.push(entry.value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return () =>
    page.evaluate(() => {
      const { shifts } = globalThis as unknown as { shifts: number[] };
      return shifts.splice(0).reduce((sum, value) => sum + value, 0);
    });
}

describe.skipIf(!hasChromium)('the layout', () => {
  let whole: WholePage;

  beforeAll(async () => {
    whole = await startWholePage();
  }, 120_000);

  afterAll(() => whole?.close());

  it('[U36] stays where it is while lists, panels and docks arrive', async () => {
    const page = await whole.open();
    const shifted = await countShifts(page);
    await page.reload();
    await page.getByRole('button', { name: 'Try the example' }).waitFor();
    await page.getByRole('button', { name: 'OpenAI' }).waitFor();
    await page.getByRole('button', { name: 'Install Meeting notes to decisions' }).waitFor();
    expect(await shifted()).toBeLessThanOrEqual(MOST);
    // On a slow machine what the button starts is there before its screen is.
    const machine = await page.context().newCDPSession(page);
    await machine.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.getByRole('button', { name: 'Try the example' }).click();
    await page.getByRole('button', { name: 'Answer', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Workflow graph' }).waitFor();
    expect(await shifted()).toBeLessThanOrEqual(MOST);
    await machine.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    for (const name of ['Artifacts', 'State', 'Tools', 'Log']) {
      await page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();
      expect(await shifted()).toBeLessThanOrEqual(MOST);
    }
    await page.getByRole('button', { name: 'Packages' }).first().click();
    await page.getByRole('heading', { name: 'Packages', level: 1 }).waitFor();
    expect(await shifted()).toBeLessThanOrEqual(MOST);
  });

  it('keeps the keyboard on the screen that a button opened', async () => {
    const { projectId } = await whole.api().projects.open({ body: { path: whole.project } });
    const page = await whole.open();
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(new RegExp(`^/p/(${projectId}|.+)$`));
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
  });
});
