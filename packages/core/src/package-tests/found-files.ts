/** The files that a run found in its project, as they were when it started, as far as they are known and not secret. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifPresent } from '../base/errno.ts';
import { isInside } from '../base/is-inside.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import type { RunAddress } from '../store/work-address.ts';
import type { WorkStore } from '../store/work-store.ts';

const LIMITS = { files: 200, bytes: 8 * 1_048_576 } as const;

export interface FoundFiles {
  /** Contents by path in the project. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Paths of files that are too many or too large. */
  readonly left: readonly string[];
}

export async function readFoundFiles(
  works: WorkStore,
  address: RunAddress,
  { reads, project }: { readonly reads: ReadonlySet<string>; readonly project: string },
): Promise<FoundFiles> {
  const before = await readBefore(works, [address, ...(await works.children(address))]);
  const isSecret = createSecretCheck();
  const files = new Map<string, Buffer>();
  const left: string[] = [];
  let bytes = 0;
  for (const path of new Set([...before.keys(), ...reads])) {
    if (isSecret(path.split('/'))) continue;
    const found = before.has(path) ? await before.get(path)?.() : await readInside(project, path);
    if (found === undefined) continue;
    bytes += found.length;
    if (files.size >= LIMITS.files || bytes > LIMITS.bytes) left.push(path);
    else files.set(path, found);
  }
  return { files, left };
}

type Read = () => Promise<Buffer | undefined>;

/** Contents before the first change, by path; that of a file which a run created is undefined. */
async function readBefore(works: WorkStore, runs: readonly RunAddress[]): Promise<Map<string, Read>> {
  const before = new Map<string, Read>();
  // Called runs work between the changes of their caller: the first change of a file is the one with the lowest date.
  const journals = await Promise.all(runs.map((run) => works.readJournal(run)));
  const changes = journals
    .flatMap(({ records, read }) => records.map((record) => ({ record, read })))
    .sort((one, other) => (one.record.at < other.record.at ? -1 : 1));
  for (const { record, read } of changes) {
    if (record.type !== 'change.begun') continue;
    const path = record.path.replace(/^@project\//, '');
    const { before: image } = record;
    if (!before.has(path))
      before.set(path, async () =>
        image?.kept && image.kind === undefined ? read(image.sha256) : undefined,
      );
  }
  return before;
}

/** Undefined if there is no such file in the folder, also behind a link. */
export async function readInside(folder: string, path: string): Promise<Buffer | undefined> {
  const root = await realpath(folder);
  const file = await ifPresent(realpath(join(root, path)));
  if (file === undefined || !isInside(file, root) || !(await stat(file)).isFile()) return undefined;
  return readFile(file);
}
