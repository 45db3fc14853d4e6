import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDiskStore, sha256Of } from '@crewagent/core/store';
import { expect, it } from 'vitest';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { createPostgresBlobs } from '../blobs/blobs.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { createTeamPackages } from './team-packages.ts';

const HASH = 'a'.repeat(64);

it('a package that several people install at once is installed once', async () => {
  const database = await testDatabase();
  const local = openDiskStore(await tempFolder()).packages;
  const packages = createTeamPackages({ database, blobs: createPostgresBlobs(database), local });
  const install = () =>
    packages.add(HASH, async (folder) => {
      await writeFile(join(folder, 'bmad.json'), '{}');
      return { 'bmad.json': sha256Of(Buffer.from('{}')) };
    });
  const added = await Promise.all(Array.from({ length: 8 }, install));
  expect(added.filter(Boolean)).toHaveLength(1);
  expect(await packages.find(HASH)).toMatchObject({ hash: HASH });
});
