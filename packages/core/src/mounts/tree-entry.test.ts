import { expect, it } from 'vitest';
import { isReadOnly } from './tree-entry.ts';

it('[T11] treats a file as read-only if nobody may write it', () => {
  for (const mode of [0o000, 0o400, 0o444, 0o555]) expect(isReadOnly(mode)).toBe(true);
  for (const mode of [0o200, 0o020, 0o002, 0o600, 0o464, 0o446]) expect(isReadOnly(mode)).toBe(false);
});
