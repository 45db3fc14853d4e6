import { describe, expect, it } from 'vitest';
import { createSearcher, createSearchRig, FINDERS } from '../../testing/rigs/search-rig.ts';
import { diffText } from '../files/change-text.ts';

/** Aborts after some turns of the event loop, which must keep turning. */
function stopAfterTicks(count: number): AbortSignal {
  const stopper = new AbortController();
  let ticks = 0;
  const timer = setInterval(() => {
    if (++ticks < count) return;
    clearInterval(timer);
    stopper.abort();
  }, 1);
  return stopper.signal;
}

const LONG_LINES = `${'a'.repeat(99_000)}b\n`.repeat(60);
const LONG_QUERY = `${'a'.repeat(998)}b`;

describe('work of unknown cost', () => {
  it.each(FINDERS)('[T46] a stop ends a search for a long text in long lines, with %s', async (_, finder) => {
    const { search } = await createSearchRig(finder, { 'a.txt': LONG_LINES });
    await expect(search({ query: LONG_QUERY }, stopAfterTicks(20))).rejects.toThrow('aborted');
  });

  it.each(FINDERS)('[T46] the time limit ends it too, with %s', async (_, finder) => {
    const { root } = await createSearchRig(finder, { 'a.txt': LONG_LINES });
    const hurried = createSearcher(finder, root, 300);
    const { truncated, hint } = await hurried({ query: LONG_QUERY, maxMatches: 1 });
    expect(truncated).toBe(true);
    expect(hint).toContain('took too long');
  });

  it('[T46] a stop ends the comparison of two large texts', async () => {
    const toText = (name: string): Buffer =>
      Buffer.from(Array.from({ length: 30_000 }, (_, line) => `${name} ${line}\n`).join(''));
    const pending = diffText('f', { before: toText('a'), after: toText('b') }, stopAfterTicks(2));
    await expect(pending).rejects.toThrow('aborted');
  });
});
