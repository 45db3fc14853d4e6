/** Checks a screen wide and light, narrow and dark: no axe issues, and no horizontal overflow. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { findIssues } from './whole-page.ts';

const VARIANTS = [
  { colorScheme: 'dark', width: 390 },
  { colorScheme: 'light', width: 1440 },
] as const;

export async function checkBothThemes(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const { colorScheme, width } of VARIANTS) {
    // Both at once: the page is laid out once.
    await Promise.all([page.emulateMedia({ colorScheme }), page.setViewportSize({ width, height: 900 })]);
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor({ state: 'attached' });
    expect(await findIssues(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  if (before) await page.setViewportSize(before);
}
