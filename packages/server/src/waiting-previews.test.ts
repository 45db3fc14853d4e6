import { describe, expect, it } from 'vitest';
import {
  createWaitingPreviews,
  MAX_PREVIEW_BYTES,
  MAX_PREVIEWS,
  PREVIEW_LIFE_MS,
} from './waiting-previews.ts';

const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString();

describe('waiting previews', () => {
  it('[H90] can be taken once, by an id of 192 bits', () => {
    const previews = createWaitingPreviews();
    const [first, second] = [previews.add('one'), previews.add('two')];
    expect(first).not.toBe(second);
    expect(Buffer.from(first, 'base64url')).toHaveLength(24);
    expect(textOf(previews.take(second))).toBe('two');
    expect(previews.take(second)).toBeUndefined();
    expect(textOf(previews.take(first))).toBe('one');
    expect(previews.take('')).toBeUndefined();
    previews.close();
  });

  it('[H90] expire', () => {
    let now = 0;
    const previews = createWaitingPreviews(() => now);
    const [early, late] = [previews.add('early'), previews.add('late')];
    now = PREVIEW_LIFE_MS - 1;
    expect(textOf(previews.take(early))).toBe('early');
    now = PREVIEW_LIFE_MS;
    expect(previews.take(late)).toBeUndefined();
    previews.close();
  });

  it('[H90] are bounded in number, and drop the oldest', () => {
    const previews = createWaitingPreviews();
    const ids = Array.from({ length: MAX_PREVIEWS + 2 }, (_, index) => previews.add(String(index)));
    const left = ids.map((id) => textOf(previews.take(id)));
    expect(left.slice(0, 3)).toEqual([undefined, undefined, '2']);
    expect(left.at(-1)).toBe(String(MAX_PREVIEWS + 1));
    previews.close();
  });

  it('[H90] are bounded in bytes, and drop the oldest', () => {
    const previews = createWaitingPreviews();
    // Two bytes each in UTF-8.
    const quarter = 'é'.repeat(MAX_PREVIEW_BYTES / 8);
    const ids = Array.from({ length: 5 }, () => previews.add(quarter));
    expect(previews.take(ids[0] ?? '')).toBeUndefined();
    // A preview that was taken frees its bytes.
    expect(previews.take(ids[2] ?? '')).toHaveLength(MAX_PREVIEW_BYTES / 4);
    ids.push(previews.add(quarter));
    for (const index of [1, 3, 4, 5]) expect(previews.take(ids[index] ?? ''), `${index}`).toBeDefined();
    previews.close();
  });
});
