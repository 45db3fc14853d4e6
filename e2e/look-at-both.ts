/** A screen in both themes, wide and narrow: axe finds nothing, and nothing reaches out of it. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { findFaults } from './whole-page.ts';

export async function lookAtBoth(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await findFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  }
  if (before) await page.setViewportSize(before);
}
