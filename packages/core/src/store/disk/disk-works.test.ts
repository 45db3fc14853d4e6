import { join } from 'node:path';
import { tempFolder } from '../../testing/temp-folder.ts';
import { testWorkStore } from '../../testing/work-store-contract.ts';
import { openDiskStore } from './open-store.ts';

testWorkStore('files', async () => openDiskStore(join(await tempFolder(), 'store')).works);
