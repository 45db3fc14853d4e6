/** A first visit of the page: what it transfers, and how soon it can be used. */
import type { Page } from 'playwright-core';

export const SLOWDOWN = 4;

/** kB on the wire until the screen is complete, with its fonts. */
export async function transferredKb(
  open: () => Promise<Page>,
  button: 'Try the example' | 'Open and answer',
): Promise<number> {
  const page = await open();
  await page.getByRole('button', { name: button }).waitFor();
  const bytes = await page.evaluate(async () => {
    await document.fonts.ready;
    // Until nothing more is loaded; a stream of events never ends.
    const count = (): number => performance.getEntriesByType('resource').length;
    for (let before = -1; before !== count(); ) {
      before = count();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    return [
      ...performance.getEntriesByType('resource'),
      ...performance.getEntriesByType('navigation'),
    ].reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0);
  });
  await page.context().close();
  return bytes / 1_000;
}

/** Time until the main button is there and the main thread is free to handle a click. */
export async function timeToUse(open: () => Promise<Page>): Promise<number> {
  const page = await open();
  const client = await page.context().newCDPSession(page);
  await client.send('Network.setCacheDisabled', { cacheDisabled: true });
  await client.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  await page.goto(new URL('/start', page.url()).href);
  const elapsed = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = (): void => {
          const isReady = document.querySelector('main button') !== null;
          if (isReady) setTimeout(() => resolve(performance.now()));
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  await page.context().close();
  return elapsed;
}
