import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { tempFolder } from '../testing/temp-folder.ts';
import { createTempFolder } from './temp-folder.ts';

afterEach(() => vi.unstubAllEnvs());

it('[C1] a temporary folder is new each time, and where it cannot be created is said', async () => {
  const [one, other] = [await createTempFolder('crewagent-t-'), await createTempFolder('crewagent-t-')];
  expect(one).not.toBe(other);
  for (const folder of [one, other]) {
    expect(existsSync(folder)).toBe(true);
    await rm(folder, { recursive: true });
  }
  const missing = join(await tempFolder(), 'missing');
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) vi.stubEnv(name, missing);
  await expect(createTempFolder('crewagent-t-')).rejects.toMatchObject({
    code: 'DISK',
    message: `Could not create a temporary folder in "${missing}": the file or folder does not exist.`,
  });
});
