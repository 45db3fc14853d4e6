/**
 * Files that fit what was typed behind an `@`: what lies in the folder that was typed so far, and, once there are letters to
 * go by, files anywhere in the project; behind `@pkg/` and `@state/` those of the package and of the run.
 */
import type { ApiClient, CallOptions } from '@crewagent/protocol/api/client';

interface FileQuery {
  readonly projectId: string;
  readonly query: string;
  readonly signal: AbortSignal;
  /** Looks through what there is besides the project; only the project is meant without it. */
  readonly inMount?: FindInMount;
}

/** The files of the package or the state of what is spoken to. */
export type FindInMount = (
  query: { readonly mount: Mount; readonly text: string; readonly limit: string },
  options: CallOptions,
) => Promise<{ readonly paths: readonly string[] }>;

const MOUNTS = ['pkg', 'state'] as const;
type Mount = (typeof MOUNTS)[number];

/** So many before the other mounts, so that those are in sight as well. */
const FEW = 6;

/** Whole mount paths; folders end with a slash. */
export async function findFiles(client: ApiClient, request: FileQuery): Promise<readonly string[]> {
  const { inMount, signal } = request;
  const mount = MOUNTS.find((name) => request.query.startsWith(`${name}/`));
  if (inMount && mount) {
    const text = request.query.slice(mount.length + 1);
    return (await inMount({ mount, text, limit: '20' }, { signal })).paths;
  }
  const query = request.query.replace(/^project(?:\/|$)/, '');
  const letters = query.slice(query.lastIndexOf('/') + 1);
  const [near, anywhere, mounts] = await Promise.all([
    listNear(client, { ...request, query }),
    letters === '' ? [] : findAnywhere(client, { ...request, query }),
    inMount ? findMounts(request.query, inMount, signal) : [],
  ]);
  const found = [
    ...new Set([...(letters === '' ? near.slice(0, FEW) : []), ...mounts, ...near, ...anywhere]),
  ];
  if (letters === '') return found;
  return found.sort((one, other) => rankOf(one, letters) - rankOf(other, letters));
}

/** A name that begins with the letters, one with a word that does, and all others, each in the order they were found. */
function rankOf(path: string, letters: string): number {
  const name = path.replace(/\/$/, '').split('/').at(-1)?.toLowerCase() ?? '';
  const wanted = letters.toLowerCase();
  if (name.startsWith(wanted) || name.startsWith(`@${wanted}`)) return 0;
  return name.split(/[\s._-]+/).some((word) => word.startsWith(wanted)) ? 1 : 2;
}

/** Those that begin with what was typed and have something in them. */
async function findMounts(
  query: string,
  inMount: FindInMount,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const meant = MOUNTS.filter((mount) => mount.startsWith(query));
  const found = await Promise.all(
    meant.map(async (mount) => {
      // Whatever keeps one from looking there must not hide the project's own files.
      const { paths } = await inMount({ mount, text: '', limit: '1' }, { signal }).catch(() => NOTHING);
      return paths.length > 0 ? [`@${mount}/`] : [];
    }),
  );
  return found.flat();
}

const NOTHING = { paths: [] };

/** What is in the folder that was typed so far and begins, or else goes on, with the rest. */
async function listNear(
  client: ApiClient,
  { projectId, query, signal }: FileQuery,
): Promise<readonly string[]> {
  const folder = query.slice(0, query.lastIndexOf('/') + 1);
  const wanted = query.slice(folder.length).toLowerCase();
  const path = `@project/${folder}`.replace(/\/$/, '');
  // Where there is no such folder there may still be files that fit.
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

async function findAnywhere(
  client: ApiClient,
  { projectId, query, signal }: FileQuery,
): Promise<readonly string[]> {
  const { paths } = await client.files.find({ projectId, query: { text: query, limit: '20' } }, { signal });
  return paths;
}
