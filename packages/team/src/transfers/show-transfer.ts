/** Describes a Work for another store, and makes its contents available to those who may see it. */
import { CrewError, findTreeRoot, packagesOf, packWorks, toChangedPaths } from '@crewagent/core';
import type { WorkAddress } from '@crewagent/core/store';
import { fileHashesSchema } from '@crewagent/protocol/installed-package';
import type { Transfer, TransferredFile } from '@crewagent/protocol/transfer';
import { waitForCheckIn } from '../queue/use-tree.ts';
import type { ProjectEntry } from '../workspaces/project-entry.ts';
import type { TransferParts } from './receive-work.ts';

export async function showTransfer(
  parts: Omit<TransferParts, 'claims' | 'queue'>,
  work: WorkAddress,
  withOthers: boolean,
): Promise<Transfer> {
  const { store, blobs, own, versions } = parts;
  const { projectId } = work;
  const root = await findTreeRoot(store.works, work);
  const running = 'It is running. Wait until it waits for somebody or ends, or stop it first.';
  if ((await store.works.read(root)).phase === 'Running') throw new CrewError('RUN_LOCKED', running);
  await waitForCheckIn(parts.database, root.workId);
  const mark = await store.works.logMark(root);
  const { works, records, journals, contents } = await packWorks(store.works, root);
  if (records.some(({ phase }) => phase === 'Running') || (await store.works.logMark(root)) !== mark)
    throw new CrewError('RUN_LOCKED', running);
  for (const sha256 of await blobs.findMissing([...contents.keys()])) {
    const content = await contents.get(sha256)?.();
    if (content) await blobs.put(new Map([[sha256, content]]));
  }
  const { head } = await versions.readHead(projectId);
  const tree = await versions.treeAt(projectId, head);
  const paths = toChangedPaths(journals);
  const isFile = ([, { kind }]: [string, ProjectEntry]): boolean => kind === 'file';
  const files = [...tree].filter(isFile).map(toFile);
  const changed = files.filter(({ path }) => paths.has(path));
  const others = withOthers ? files.filter(({ path }) => !paths.has(path)) : [];
  const packages = await readPackages(parts, [...packagesOf(records)]);
  await own.add(projectId, [
    ...contents.keys(),
    ...[...changed, ...others].map(({ sha256 }) => sha256),
    ...packages.flatMap(({ files: hashes }) => Object.values(hashes)),
  ]);
  const deleted = [...paths.keys()].filter((path) => !tree.has(path));
  return { format: 1, works: [...works], changed, deleted, others, packages };
}

function toFile([path, { sha256, bytes, isExecutable }]: [string, ProjectEntry]): TransferredFile {
  return { path, sha256, bytes, ...(isExecutable ? { isExecutable } : {}) };
}

async function readPackages({ database }: Pick<TransferParts, 'database'>, hashes: readonly string[]) {
  const rows = await database.read<{ hash: string; files: string }>(
    'select hash, files from packages where hash = any($1::text[])',
    [hashes],
  );
  return rows.map(({ hash, files }) => ({ hash, files: fileHashesSchema.parse(JSON.parse(files)) }));
}
