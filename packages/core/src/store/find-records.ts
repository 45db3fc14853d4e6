/**
 * Finding what the projects keep by id: all of a kind, or the one a person means. Reads names and records, never a log.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { ErrorCode } from '@crewagent/protocol/errors';
import { CrewError } from '../base/crew-error.ts';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { mapLimit } from '../base/map-limit.ts';
import { isStoreId, type StoreLayout } from './layout.ts';

/** Runs, or conversations: where they lie, and what is said when one is not found. */
export interface RecordKind<Address, Entry> {
  readonly noun: 'run' | 'conversation';
  readonly notFound: ErrorCode;
  readonly ambiguous: ErrorCode;
  folderOf(projectId: string): string;
  addressOf(projectId: string, id: string): Address;
  idOf(address: Address): string;
  pathsOf(address: Address): { readonly folder: string; readonly record: string };
  /** Throws `notFound` where there is no record, any other CrewError where it cannot be read. */
  read(address: Address): Promise<Entry>;
}

export interface ProjectFilter {
  readonly projectId?: string | undefined;
}

export type Listed<Address, Entry> = Address & {
  /** Undefined when it cannot be read; `problem` then says why. */
  readonly record?: Entry;
  readonly problem?: string;
};

const LANES = 16;

/** The one that was made last first. A damaged one is listed as such. */
export async function listRecords<Address, Entry>(
  store: StoreLayout,
  kind: RecordKind<Address, Entry>,
  filter: ProjectFilter,
): Promise<Listed<Address, Entry>[]> {
  const addresses = await listAddresses(store, kind, filter);
  const found = await mapLimit(addresses, LANES, (address) => readListed(kind, address));
  return found.filter((entry) => entry !== undefined);
}

/** Undefined when it was deleted a moment ago. */
export async function readListed<Address, Entry>(
  kind: RecordKind<Address, Entry>,
  address: Address,
): Promise<Listed<Address, Entry> | undefined> {
  const paths = kind.pathsOf(address);
  try {
    return { ...address, record: await kind.read(address) };
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    const isMissing = error.code === kind.notFound;
    if (isMissing && !existsSync(paths.folder)) return undefined;
    return { ...address, problem: isMissing ? `"${paths.record}" is missing.` : error.message };
  }
}

/** Ids sort by the time they were made. */
export async function listAddresses<Address, Entry>(
  store: StoreLayout,
  kind: RecordKind<Address, Entry>,
  { projectId }: ProjectFilter,
): Promise<Address[]> {
  return withDiskErrors(`Could not list the ${kind.noun}s`, async () => {
    const projects = projectId === undefined ? await listProjectIds(store) : [projectId];
    const lists = await mapLimit(projects, LANES, async (project) =>
      (await idsIn(kind.folderOf(project))).map((id) => ({ id, address: kind.addressOf(project, id) })),
    );
    const all = lists.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
    return all.map(({ address }) => address);
  });
}

/** Of all projects that something is stored for. */
export async function listProjectIds(store: StoreLayout): Promise<string[]> {
  return withDiskErrors('Could not list the projects', () => idsIn(store.projects));
}

const SHORTEST = 4;

/** The ones whose id is `ref`, or begins or ends with it. Those of one minute have the same beginning. */
export function matchId<Address, Entry>(
  kind: RecordKind<Address, Entry>,
  addresses: readonly Address[],
  ref: string,
): Address[] {
  const wanted = toRef(ref);
  if (wanted.length < SHORTEST) return [];
  return addresses.filter((address) => {
    const id = kind.idOf(address);
    return id.startsWith(wanted) || id.endsWith(wanted);
  });
}

export function isLast(ref: string): boolean {
  return toRef(ref) === 'last';
}

function toRef(ref: string): string {
  return ref.trim().toLowerCase();
}

/** The one that is meant; none and several are refused. */
export function requireOne<Address, Entry>(
  { noun, notFound, ambiguous, idOf }: RecordKind<Address, Entry>,
  matches: readonly Address[],
  ref: string,
): Address {
  const [first] = matches;
  if (first === undefined) {
    throw new CrewError(
      notFound,
      isLast(ref)
        ? `There is no ${noun} yet.`
        : `No ${noun} matches "${ref}"; give its id, at least ${SHORTEST} characters of its beginning or end, or "last".`,
    );
  }
  if (matches.length > 1) {
    const ids = matches.map(idOf);
    const choices = ids.slice(0, 5).join(', ');
    throw new CrewError(
      ambiguous,
      `"${ref}" fits ${ids.length} ${noun}s (${choices}${ids.length > 5 ? ', …' : ''}); give more of the id.`,
      { details: { [`${noun}s`]: ids } },
    );
  }
  return first;
}

async function idsIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter(isStoreId);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
