import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toSha256 } from './preview.ts';
import { sha256 } from './sha256.ts';

it('[U500] hashes any bytes as the system does', () => {
  const bytes = fc.uint8Array({ maxLength: 400 });
  fc.assert(
    fc.property(bytes, (message) => {
      expect(Buffer.from(sha256(message)).toString('hex')).toBe(
        createHash('sha256').update(message).digest('hex'),
      );
    }),
    { numRuns: 300 },
  );
});

it('[U500] hashes a text as its UTF-8 bytes, lone surrogates included', async () => {
  for (const text of ['', 'Größe 你好 👍', 'a\ud800b', 'x'.repeat(100_000)])
    expect(await toSha256(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
});
