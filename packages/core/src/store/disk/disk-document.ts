/** A JSON document in a file of the store. */
import type { StoredDocument } from '../stored-document.ts';
import { changeInPlace, changeStoreFile, readStoreFile, writeStoreFile } from './store-file.ts';

/** `read`: replaces reading the file as it is. */
export function createDiskDocument(
  file: string,
  read: (file: string) => Promise<unknown> = readStoreFile,
): StoredDocument {
  return {
    label: file,
    read: () => read(file),
    change: (work) => changeStoreFile(file, () => work((value) => writeStoreFile(file, value))),
    hold: (work) => changeInPlace(file, work),
  };
}
