import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, startWholePage, type WholePage } from './whole-page.ts';

describe.skipIf(!hasChromium)('a page of a test', () => {
  let whole: WholePage;

  beforeAll(async () => {
    whole = await startWholePage();
  }, 120_000);

  afterAll(() => whole?.close());

  it('finds nothing that an earlier one stored, in the same context', async () => {
    const first = await whole.open({ path: '/settings' });
    await first.getByRole('heading', { name: 'Settings' }).waitFor();
    await first.evaluate(() => {
      localStorage.setItem('left', '1');
      sessionStorage.setItem('left', '1');
    });
    await first.close();
    const second = await whole.open({ path: '/settings' });
    expect(second.context()).toBe(first.context());
    const left = await second.evaluate(() => [localStorage.getItem('left'), sessionStorage.getItem('left')]);
    expect(left).toEqual([null, null]);
  });

  it('shares nothing with another one that is open', async () => {
    const [first, second] = [await whole.open(), await whole.open()];
    await first.evaluate(() => localStorage.setItem('left', '1'));
    expect(await second.evaluate(() => localStorage.getItem('left'))).toBeNull();
  });
});
