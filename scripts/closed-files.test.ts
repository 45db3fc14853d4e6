import { EventEmitter } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { collectGarbage, openFilesFound, watchHandles } from './closed-files.ts';

it('a file handle that is left to the garbage collector is reported with the call that opened it', async () => {
  // Not a real one, of which Node would warn as well.
  const files = watchHandles(async () => new EventEmitter() as unknown as FileHandle);
  await openAndForget(files);
  await expect
    .poll(async () => {
      await collectGarbage();
      return files.found.length;
    })
    .toBe(1);
  expect(files.found[0]).toMatch(/was not closed[\s\S]*openAndForget/);
});

it('one that was closed is not', async () => {
  await openAndClose();
  await collectGarbage();
  await collectGarbage();
  expect(openFilesFound).toEqual([]);
});

async function openAndForget(files: { readonly open: typeof open }): Promise<void> {
  await files.open(import.meta.filename);
}

async function openAndClose(): Promise<void> {
  const handle = await open(import.meta.filename);
  await handle.close();
}
