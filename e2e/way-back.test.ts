import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findIssues, hasChromium, startWholePage, type WholePage } from './whole-page.ts';

describe.skipIf(!hasChromium)('the way back', () => {
  let whole: WholePage;

  beforeAll(async () => {
    whole = await startWholePage();
  });
  afterAll(() => whole?.close());

  it('leads from another screen to the last position in a project, with the panel that was clicked', async () => {
    const { projectId } = await whole.api().projects.open({ body: { path: whole.project } });
    const path = `/p/${projectId}`;
    const page = await whole.open({ path });
    const rail = page.getByRole('navigation');
    await page.getByRole('region', { name: 'Activity' }).waitFor();
    await rail.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect(await findIssues(page)).toEqual([]);
    await page.reload();
    await rail.getByRole('button', { name: 'Files' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(path);
    await rail.locator('[aria-expanded=true]', { hasText: 'Files' }).waitFor();

    await page.setViewportSize({ width: 390, height: 844 });
    await rail.getByRole('button', { name: 'Packages' }).click();
    await rail.getByRole('button', { name: 'Activity' }).click();
    await page.getByRole('dialog', { name: 'Activity' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
    await page.keyboard.press('Escape');
    await rail.getByRole('button', { name: 'Start' }).click();
    await page.goBack();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(whole.complaints).toEqual([]);
  });
});
