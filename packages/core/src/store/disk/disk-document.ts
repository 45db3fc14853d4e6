/** A JSON document in a file of the store. */

import { closeSync, fchmodSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { withDiskErrors } from '../../base/errno.ts';
import { isMissing } from '../../base/small-files.ts';
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
      const text = await withDiskErrors(action, async () => readPrivately(file));
      return text === undefined ? undefined : parseJson(text, file);
    },
  });
}

/** Removes the access of other users before reading. */
function readPrivately(file: string): string | undefined {
  if (isMissing(file)) return undefined;
  const descriptor = openSync(file, 'r');
  try {
    const isOpenToOthers = (fstatSync(descriptor).mode & 0o077) !== 0;
    if (isOpenToOthers && process.platform !== 'win32') fchmodSync(descriptor, 0o600);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
