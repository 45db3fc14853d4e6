/** A JSON document that only its owner can read. */
import { constants, open } from 'node:fs/promises';
import { ifPresent, withDiskErrors } from '../../base/errno.ts';
import { parseJson } from '../parse-stored.ts';
import type { StoredDocument } from '../stored-document.ts';
import { createDiskDocument } from './disk-document.ts';
import type { TurnOptions } from './locks/file-turns.ts';

/** `action`: what failed, if the file cannot be read. */
export function createPrivateDocument(
  file: string,
  action: string,
  onWait?: TurnOptions['onWait'],
): StoredDocument {
  return createDiskDocument(file, {
    onWait,
    async read() {
      const text = await withDiskErrors(action, () => readPrivately(file));
      return text === undefined ? undefined : parseJson(text, file);
    },
  });
}

/** Removes the access of other users before reading. */
async function readPrivately(file: string): Promise<string | undefined> {
  const handle = await ifPresent(open(file, constants.O_RDONLY));
  if (!handle) return undefined;
  try {
    const isOpenToOthers = ((await handle.stat()).mode & 0o077) !== 0;
    if (isOpenToOthers && process.platform !== 'win32') await handle.chmod(0o600);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
