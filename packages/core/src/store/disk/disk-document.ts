/** A JSON document in a file of the store. */
import type { StoredDocument } from '../stored-document.ts';
import type { TurnOptions } from './locks/file-turns.ts';
import { changeInPlace, changeStoreFile, readStoreFile, writeStoreFile } from './store-file.ts';

export interface DiskDocumentOptions extends TurnOptions {
  /** Replaces reading the file as it is. */
  readonly read?: (file: string) => Promise<unknown>;
}

export function createDiskDocument(
  file: string,
  { read = readStoreFile, ...options }: DiskDocumentOptions = {},
): StoredDocument {
  return {
    label: file,
    read: () => read(file),
    change: (work) => changeStoreFile(file, () => work((value) => writeStoreFile(file, value)), options),
    hold: (work) => changeInPlace(file, work, options),
  };
}
