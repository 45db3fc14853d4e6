/**
 * Completions for a path after `@`: the entries of the folder typed so far and, once letters follow, matching files anywhere in
 * the project; after `@pkg/` and `@state/`, files of the package and of the run.
 */
import type { ApiClient, CallOptions } from '@crewagent/protocol/api/client';

interface FileQuery {
  readonly projectId: string;
  readonly query: string;
  readonly signal: AbortSignal;
  /** Searches the other mounts; without it only the project is searched. */
  readonly inMount?: FindInMount;
}

/** Finds files in the package or the state of the current run or agent. */
export type FindInMount = (
  query: { readonly mount: Mount; readonly text: string; readonly limit: string },
  options: CallOptions,
) => Promise<{ readonly paths: readonly string[] }>;

const MOUNTS = ['pkg', 'state'] as const;
type Mount = (typeof MOUNTS)[number];

/** Limit for project files that are listed before the other mounts, so that both are visible. */
const MAX_BEFORE_MOUNTS = 6;

/** Full mount paths; folders end with a slash. */
export async function findFiles(client: ApiClient, request: FileQuery): Promise<readonly string[]> {
  const { projectId, inMount, signal } = request;
  const mount = MOUNTS.find((name) => request.query.startsWith(`${name}/`));
  if (inMount && mount) {
    const text = request.query.slice(mount.length + 1);
    return (await inMount({ mount, text, limit: '20' }, { signal })).paths;
  }
  const query = request.query.replace(/^project(?:\/|$)/, '');
  const letters = query.slice(query.lastIndexOf('/') + 1);
  const [inFolder, anywhere, mounts] = await Promise.all([
    listTypedFolder(client, { ...request, query }),
    letters === ''
      ? NOTHING
      : client.files.find({ projectId, query: { text: query, limit: '20' } }, { signal }),
    inMount ? findMounts(request.query, inMount, signal) : [],
  ]);
  const found = [
    ...new Set([
      ...(letters === '' ? inFolder.slice(0, MAX_BEFORE_MOUNTS) : []),
      ...mounts,
      ...inFolder,
      ...anywhere.paths,
    ]),
  ];
  if (letters === '') return found;
  return found.sort((one, other) => rankOf(one, letters) - rankOf(other, letters));
}

/** 0: the name starts with the letters; 1: a word of it does; 2: all others. Order is preserved within a rank. */
function rankOf(path: string, letters: string): number {
  const name = path.replace(/\/$/, '').split('/').at(-1)?.toLowerCase() ?? '';
  const wanted = letters.toLowerCase();
  if (name.startsWith(wanted) || name.startsWith(`@${wanted}`)) return 0;
  return name.split(/[\s._-]+/).some((word) => word.startsWith(wanted)) ? 1 : 2;
}

/** Mounts that match the typed text and are not empty. */
async function findMounts(
  query: string,
  inMount: FindInMount,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const meant = MOUNTS.filter((mount) => mount.startsWith(query));
  const found = await Promise.all(
    meant.map(async (mount) => {
      // An unreadable mount must not hide the files of the project.
      const { paths } = await inMount({ mount, text: '', limit: '1' }, { signal }).catch(() => NOTHING);
      return paths.length > 0 ? [`@${mount}/`] : [];
    }),
  );
  return found.flat();
}

const NOTHING = { paths: [] };

/** Entries of the typed folder whose names start with, or else contain, the rest. */
async function listTypedFolder(
  client: ApiClient,
  { projectId, query, signal }: FileQuery,
): Promise<readonly string[]> {
  const folder = query.slice(0, query.lastIndexOf('/') + 1);
  const wanted = query.slice(folder.length).toLowerCase();
  const path = `@project/${folder}`.replace(/\/$/, '');
  // Without such a folder there may still be files that match.
  const list = await client.files.list({ projectId, query: { path } }, { signal }).catch(() => undefined);
  const named = (list?.entries ?? []).filter(
    ({ isOutOfReach, kind, isIgnored }) => !isOutOfReach && kind !== 'other' && !isIgnored,
  );
  const fits = (name: string): number => name.toLowerCase().indexOf(wanted);
  return named
    .filter(({ name }) => fits(name) >= 0)
    .sort((one, other) => Math.sign(fits(one.name)) - Math.sign(fits(other.name)))
    .map(({ name, kind }) => `@project/${folder}${name}${kind === 'folder' ? '/' : ''}`);
}
