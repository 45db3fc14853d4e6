import { testStoredDocument } from '../../testing/document-contract.ts';
import { createMemoryDocument } from './memory-document.ts';

testStoredDocument('memory', async () => createMemoryDocument('the document'));
