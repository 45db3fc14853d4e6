import { copyFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testStoredDocument } from '../../testing/document-contract.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { createDiskDocument, createPrivateDocument } from './disk-document.ts';

testStoredDocument('a file', async () =>
  createDiskDocument(join(await tempFolder(), 'store', 'document.json')),
);
testStoredDocument('a private file', async () =>
  createPrivateDocument(join(await tempFolder(), 'store', 'document.json'), 'Could not read the document'),
);

it('notices another text of the same length and age', async () => {
  const folder = join(await tempFolder(), 'store');
  mkdirSync(folder);
  const [file, backup] = [join(folder, 'document.json'), join(folder, 'backup.json')];
  const old = new Date('2026-01-01');
  for (const [path, value] of [
    [file, 1],
    [backup, 2],
  ] as const) {
    writeFileSync(path, JSON.stringify({ value }));
    utimesSync(path, old, old);
  }
  const document = createDiskDocument(file);
  expect(await document.read()).toEqual({ value: 1 });
  copyFileSync(backup, file);
  utimesSync(file, old, old);
  expect(readFileSync(file, 'utf8')).toBe('{"value":2}');
  expect(await document.read()).toEqual({ value: 2 });
});
