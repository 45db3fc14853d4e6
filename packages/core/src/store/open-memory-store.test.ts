import { testStoredDocument } from '../testing/document-contract.ts';
import { createMemoryDocument } from './open-memory-store.ts';

testStoredDocument('memory', async () => createMemoryDocument('the document'));
