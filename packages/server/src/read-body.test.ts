import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from './read-body.ts';

const LIMITS = { maxBytes: 1_000_000, timeMs: 20_000 };

const read = (body: string): Promise<unknown> =>
  readJson(
    new Request('http://127.0.0.1/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }),
    LIMITS,
  );
const nested = (levels: number, inside = ''): string => '['.repeat(levels) + inside + ']'.repeat(levels);
const TOO_DEEP = { code: 'USAGE', message: 'The body is nested deeper than 64 levels.' };

describe('a body of JSON', () => {
  it('[H4] may be nested 64 levels deep and no deeper, in lists and objects', async () => {
    expect(JSON.stringify(await read(nested(64)))).toBe(nested(64));
    await expect(read(nested(65))).rejects.toMatchObject(TOO_DEEP);
    const objects = `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`;
    await expect(read(objects)).rejects.toMatchObject(TOO_DEEP);
    // Siblings do not count as nesting.
    expect(await read(`[${Array.from({ length: 200 }, () => nested(63)).join(',')}]`)).toHaveLength(200);
  });

  it('[H4] is rejected before it is parsed, however deep and whether or not it ends', async () => {
    for (const body of ['['.repeat(900_000), '{"a":'.repeat(150_000)])
      await expect(read(body)).rejects.toMatchObject(TOO_DEEP);
  });

  it('[H4] may contain any text: brackets in a string do not count as nesting', async () => {
    const text = fc.string({ unit: fc.constantFrom('[', '{', ']', '}', '"', '\\', 'a'), maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(text, text), async (value) => {
        expect(await read(JSON.stringify(value))).toEqual(value);
      }),
    );
    const long = '['.repeat(500);
    expect(await read(JSON.stringify({ [long]: `"\\${long}` }))).toEqual({ [long]: `"\\${long}` });
  });

  it('[H4] of another type or encoding is rejected', async () => {
    const request = (body: string | Uint8Array<ArrayBuffer>, type: string) =>
      new Request('http://127.0.0.1/', { method: 'POST', headers: { 'content-type': type }, body });
    await expect(readJson(request('{}', 'text/plain'), LIMITS)).rejects.toMatchObject({
      code: 'BODY_NOT_JSON',
    });
    await expect(
      readJson(request(new Uint8Array([0x22, 0xff, 0x22]), 'application/json'), LIMITS),
    ).rejects.toMatchObject({ code: 'USAGE', message: 'The body is not UTF-8.' });
  });
});
