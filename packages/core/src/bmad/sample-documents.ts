/** What a person can try a package with: the documents that its tests use, in its folder `tests/sample`. */
import { join } from 'node:path';
import { listTree } from '../base/list-tree.ts';
import { isOnDisk } from '../base/small-files.ts';
import type { UserStore } from '../store/store.ts';
import { resolveInstalled } from './installed-packages.ts';

export interface SampleDocument {
  /** In the project, with slashes. */
  readonly path: string;
  readonly bytes: Buffer;
}

const FOLDER = 'tests/sample';
const MAX_FILES = 50;
const MAX_BYTES = 4 * 1_048_576;

/** Of an installed package; none if it has more than a person would want in a folder. */
export async function readSampleDocuments(
  packageHash: string,
  store: Pick<UserStore, 'packages'>,
): Promise<SampleDocument[]> {
  const { packages } = store;
  const { hash } = await resolveInstalled(store, packageHash);
  const seal = await packages.seal(hash);
  seal.checkNames();
  const folder = join(packages.folder(hash), FOLDER);
  if (!isOnDisk(folder)) return [];
  const documents: SampleDocument[] = [];
  let bytes = 0;
  for (const { path, entry } of listTree(folder)) {
    if (!entry.isFile()) continue;
    const document = { path, bytes: seal.read(`${FOLDER}/${path}`) };
    bytes += document.bytes.length;
    if (documents.push(document) > MAX_FILES || bytes > MAX_BYTES) return [];
  }
  return documents;
}
