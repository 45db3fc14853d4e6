/** A text once it stands still: figures of files arrive after the end of a run. */
import { expect } from 'vitest';

export async function settledText(read: () => Promise<string>): Promise<string> {
  let last = '';
  await expect
    .poll(
      async () => {
        const before = last;
        last = await read();
        return last === before;
      },
      { interval: 500 },
    )
    .toBe(true);
  return last;
}
