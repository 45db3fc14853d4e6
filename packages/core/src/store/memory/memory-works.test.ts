import { tempFolder } from '../../testing/temp-folder.ts';
import { testWorkStore } from '../../testing/work-store-contract.ts';
import { createMemoryWorks } from './memory-works.ts';

testWorkStore('memory', async () => createMemoryWorks(await tempFolder()));
