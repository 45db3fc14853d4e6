import { open } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { collectGarbage, openFilesFound } from './closed-files.ts';

it('a file handle that is left to the garbage collector is reported with the call that opened it', async () => {
  await openAndForget();
  await expect
    .poll(async () => {
      await collectGarbage();
      return openFilesFound.length;
    })
    .toBe(1);
  expect(openFilesFound.splice(0)[0]).toMatch(/was not closed[\s\S]*openAndForget/);
});

it('one that was closed is not', async () => {
  await openAndClose();
  await collectGarbage();
  await collectGarbage();
  expect(openFilesFound).toEqual([]);
});

async function openAndForget(): Promise<void> {
  await open(import.meta.filename);
}

async function openAndClose(): Promise<void> {
  const handle = await open(import.meta.filename);
  await handle.close();
}
