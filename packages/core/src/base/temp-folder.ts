import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDiskErrors } from './errno.ts';

/** A new private folder among the temporary files of the system; whoever creates it removes it. */
export function createTempFolder(prefix: string): Promise<string> {
  const place = tmpdir();
  return withDiskErrors(`Could not create a temporary folder in "${place}"`, () =>
    mkdtemp(join(place, prefix)),
  );
}
