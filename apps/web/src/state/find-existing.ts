/**
 * Checks which of the given project files exist. Folders are listed from the root down, each once; files in missing folders
 * are never requested.
 */
import type { ApiClient, CallOptions } from '@crewagent/protocol/api/client';
import type { FileList } from '@crewagent/protocol/api/files';

/** Undefined: the listing of the folder was cut off. */
export type Existing = ReadonlyMap<string, boolean | undefined>;

export async function findExisting(
  { files }: Pick<ApiClient, 'files'>,
  projectId: string,
  paths: readonly string[],
  options: CallOptions = {},
): Promise<Existing> {
  const listed = new Map<string, Promise<FileList>>();
  const list = (path: string): Promise<FileList> => {
    const known = listed.get(path) ?? files.list({ projectId, query: { path, hidden: 'true' } }, options);
    listed.set(path, known);
    return known;
  };
  const isThere = async (path: string): Promise<boolean | undefined> => {
    const [root = '', ...names] = path.split('/');
    let folder = root;
    for (const [index, name] of names.entries()) {
      const { entries, isTruncated } = await list(folder);
      const entry = entries.find((other) => other.name === name);
      if (!entry) return isTruncated ? undefined : false;
      if (index === names.length - 1) return entry.kind === 'file' || entry.kind === 'link';
      if (entry.kind !== 'folder') return false;
      folder = `${folder}/${name}`;
    }
    return false;
  };
  const found = await Promise.all(paths.map(async (path) => [path, await isThere(path)] as const));
  return new Map(found);
}
