import { describe, expect, it } from 'vitest';
import { pageForTest } from './for-one-test.ts';
import { findIssues, hasChromium } from './whole-page.ts';

describe.skipIf(!hasChromium)('hooks', () => {
  it('are added, tested, changed and removed in the settings', async () => {
    const whole = await pageForTest();
    const api = whole.api();
    const page = await whole.open({ path: '/settings/hooks' });
    await page.getByText('No hooks yet.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('greet');
    await page.getByRole('checkbox', { name: 'A run waits for you' }).click();
    await page.getByRole('textbox', { name: 'Program' }).fill(process.execPath);
    await page
      .getByRole('textbox', { name: 'Arguments' })
      .fill(`-e\nconsole.log(JSON.stringify({ message: 'Hello.' }))`);
    await page.getByRole('switch', { name: 'Run it in a sandbox' }).click();
    await page.getByRole('button', { name: 'Add hook' }).click();
    await page.getByRole('button', { name: 'Test greet' }).click();
    await page.getByText(/it says: Hello\.$/).waitFor();
    expect(await findIssues(page)).toEqual([]);
    const stored = async () => (await api.settings.show({})).settings.hooks.greet;
    expect(await stored()).toMatchObject({ on: ['run.waiting'], sandbox: 'off', enabled: true });
    await page.getByRole('switch', { name: 'Call greet' }).click();
    await expect.poll(stored).toMatchObject({ enabled: false });
    await page.getByRole('button', { name: 'Edit greet' }).click();
    const list = page.getByRole('list', { name: 'Hooks' });
    await list.getByText('An address (HTTP POST)').click();
    await list.getByRole('textbox', { name: 'URL' }).fill('https://hooks.example.org/x');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(stored).toMatchObject({ url: 'https://hooks.example.org/x', enabled: false });
    await page.getByRole('button', { name: 'Remove greet' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await expect.poll(stored).toBeUndefined();
    await page.getByText('No hooks yet.').waitFor();
  });
});
