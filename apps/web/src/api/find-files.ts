/**
 * Files that fit what was typed behind an `@`: what lies in the folder that was typed so far, and, once there are letters to
 * go by, files anywhere in the project.
 */
import type { ApiClient } from '@crewagent/protocol/api/client';

interface FileQuery {
  readonly projectId: string;
  readonly query: string;
  readonly signal: AbortSignal;
}

/** Relative to the project; folders end with a slash. */
export async function findFiles(client: ApiClient, request: FileQuery): Promise<readonly string[]> {
  const query = request.query.replace(/^project(?:\/|$)/, '');
  const letters = query.slice(query.lastIndexOf('/') + 1);
  const [near, anywhere] = await Promise.all([
    listNear(client, { ...request, query }),
    letters === '' ? [] : findAnywhere(client, { ...request, query }),
  ]);
  return [...new Set([...near, ...anywhere])];
}

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
    .map(({ name, kind }) => `${folder}${name}${kind === 'folder' ? '/' : ''}`);
}

async function findAnywhere(
  client: ApiClient,
  { projectId, query, signal }: FileQuery,
): Promise<readonly string[]> {
  const { paths } = await client.files.find({ projectId, query: { text: query, limit: '20' } }, { signal });
  return paths.map((path) => path.replace(/^@project\//, ''));
}
