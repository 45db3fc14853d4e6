/** A JSON document in a file of the store. */

import { constants, open } from 'node:fs/promises';
import { ifPresent, withDiskErrors } from '../../base/errno.ts';
import { parseJson, type StoredDocument } from '../stored-document.ts';
import { holdFile, type TurnOptions } from './locks/file-turns.ts';
import { changeStoreFile, createStoreFileReader, writeStoreFile } from './store-file.ts';

export interface DiskDocumentOptions extends TurnOptions {
  /** Replaces reading the file as it is. */
  readonly read?: () => Promise<unknown>;
}

export function createDiskDocument(
  file: string,
  { read = createStoreFileReader(file), ...options }: DiskDocumentOptions = {},
): StoredDocument {
  return {
    label: file,
    read,
    change: (work) => changeStoreFile(file, () => work((value) => writeStoreFile(file, value)), options),
    hold: (work) => holdFile(file, work, options),
  };
}

/** A JSON document that only its owner can read. `action`: what failed, if the file cannot be read. */
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
