import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, startWholePage, type WholePage } from './whole-page.ts';

// The process is stopped with a signal that Windows does not have.
describe.skipIf(!hasChromium || process.platform === 'win32')('a server that is frozen', () => {
  let whole: WholePage;

  beforeAll(async () => {
    whole = await startWholePage();
  }, 120_000);

  afterAll(() => whole.close());

  it('[U194] is reported by the page, which goes on when it answers', async () => {
    const page = await whole.open();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    whole.freeze();
    const note = page.getByText('CrewAgent isn’t answering');
    try {
      await page.getByRole('button', { name: 'Packages', exact: true }).click();
      await note.waitFor();
    } finally {
      whole.thaw();
    }
    await note.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Packages' }).first().waitFor();
    expect(whole.complaints.splice(0)).toEqual([]);
  });
});
