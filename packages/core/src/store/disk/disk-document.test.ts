import { join } from 'node:path';
import { testStoredDocument } from '../../testing/document-contract.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { createDiskDocument, createPrivateDocument } from './disk-document.ts';

testStoredDocument('a file', async () =>
  createDiskDocument(join(await tempFolder(), 'store', 'document.json')),
);
testStoredDocument('a private file', async () =>
  createPrivateDocument(join(await tempFolder(), 'store', 'document.json'), 'Could not read the document'),
);
