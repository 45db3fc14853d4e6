/** Lists runs and conversations, and resolves the id or `last` that a person typed to one of them. */
import type { RunRecord } from '@crewagent/protocol/run';
import { compareTexts } from '../base/compare-texts.ts';
import { CrewError } from '../base/crew-error.ts';
import { type ConversationAddress, type RunAddress, runBeside, type WorkAddress } from './work-address.ts';
import type { ListedConversation, ListedRun, WorkFilter, WorkStore } from './work-store.ts';

/** An object with the port, such as a `Store`. */
interface HasWorks {
  readonly works: WorkStore;
}

export async function listRuns(
  { works }: HasWorks,
  filter: Pick<WorkFilter, 'projectId'> = {},
): Promise<ListedRun[]> {
  return (await works.list({ ...filter, isRun: true })) as ListedRun[];
}

export interface ConversationFilter extends Pick<WorkFilter, 'projectId'> {
  /** Archived conversations only; by default only the others. */
  readonly isArchived?: boolean | undefined;
}

/** Most recent message first, then by creation. Damaged conversations come last and count as not archived. */
export async function listConversations(
  { works }: HasWorks,
  { isArchived = false, ...filter }: ConversationFilter = {},
): Promise<ListedConversation[]> {
  const found = (await works.list({ ...filter, isRun: false })) as ListedConversation[];
  return found
    .filter(({ record }) => (record?.archivedAt !== undefined) === isArchived)
    .sort((a, b) => compareTexts(b.record?.updatedAt ?? '', a.record?.updatedAt ?? ''));
}

/** Resolves `last`, an id, or the beginning or end of an id. */
export async function resolveRun({ works }: HasWorks, ref: string): Promise<RunAddress> {
  const found = isLast(ref) ? await findLast(works) : await matchId(works, ref, { isRun: true });
  return requireOne(found as RunAddress[], ref, 'run');
}

/** The run or conversation with this id, its beginning or its end; `last` is the last run. */
export async function resolveWork({ works }: HasWorks, ref: string): Promise<WorkAddress> {
  if (isLast(ref)) return resolveRun({ works }, ref);
  return requireOne(await matchId(works, ref, {}), ref, 'run');
}

/** The run with this id. Throws for a conversation, which has no workflow of its own. */
export async function findRun({ works }: HasWorks, workId: string): Promise<RunAddress> {
  const found = await works.find(workId);
  if (found.isRun) return runBeside(found, workId);
  throw new CrewError('USAGE', 'This is a conversation. Use the id of one of its runs.');
}

/** The run that a person started last: a called run is newer than its caller. */
async function findLast(works: WorkStore): Promise<WorkAddress[]> {
  for (const address of await works.addresses({ isRun: true })) {
    const call = await readCall(works, address);
    if (call !== 'gone' && !call) return [address];
  }
  return [];
}

/** The root of the calls that lead to a run; the run itself if nothing called it. */
export async function findRoot<Address extends WorkAddress>(
  { works }: HasWorks,
  address: Address,
): Promise<Address> {
  const call = await readCall(works, address);
  return call && call !== 'gone' ? { ...address, workId: call.rootId } : address;
}

/** A run with a damaged record counts as not called. */
async function readCall(works: WorkStore, address: WorkAddress): Promise<RunRecord['call'] | 'gone'> {
  try {
    return (await works.read(address)).call;
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    return error.code === 'RUN_NOT_FOUND' ? 'gone' : undefined;
  }
}

/** Like `resolveRun`. `last` never means an archived conversation. */
export async function resolveConversation(
  { works }: HasWorks,
  ref: string,
  filter: ConversationFilter = {},
): Promise<ConversationAddress> {
  const found = isLast(ref)
    ? (await listConversations({ works }, filter)).filter(({ record }) => record).slice(0, 1)
    : await matchId(works, ref, { ...filter, isRun: false });
  const { projectId, workId } = requireOne(found, ref, 'conversation');
  return { projectId, workId, isRun: false };
}

const SHORTEST = 4;

const WHOLE = 36;

/** Addresses whose id equals, starts with or ends with `ref`. Ids of the same minute share their beginning. */
async function matchId(works: WorkStore, ref: string, filter: WorkFilter): Promise<readonly WorkAddress[]> {
  const wanted = toRef(ref);
  if (wanted.length < SHORTEST) return [];
  // A store may have a million Works.
  if (wanted.length === WHOLE) return findWhole(works, wanted, filter);
  return withId(await works.addresses(filter), ref);
}

/** The one of these Works whose id starts or ends with `ref`. Throws if there is none, or more than one. */
export function chooseWork<Listed extends Pick<WorkAddress, 'workId'>>(
  works: readonly Listed[],
  ref: string,
): Listed {
  return requireOne(toRef(ref).length < SHORTEST ? [] : withId(works, ref), ref, 'run');
}

function withId<Listed extends Pick<WorkAddress, 'workId'>>(works: readonly Listed[], ref: string): Listed[] {
  const wanted = toRef(ref);
  return works.filter(({ workId }) => workId.startsWith(wanted) || workId.endsWith(wanted));
}

async function findWhole(
  works: WorkStore,
  id: string,
  { projectId, isRun }: WorkFilter,
): Promise<WorkAddress[]> {
  try {
    const found = await works.find(id);
    const isWanted =
      (isRun ?? found.isRun) === found.isRun && (projectId ?? found.projectId) === found.projectId;
    return isWanted ? [found] : [];
  } catch (error) {
    if (error instanceof CrewError && error.code === 'WORK_NOT_FOUND') return [];
    throw error;
  }
}

function isLast(ref: string): boolean {
  return toRef(ref) === 'last';
}

function toRef(ref: string): string {
  return ref.trim().toLowerCase();
}

/** Throws if there is no match, or more than one. */
function requireOne<Address extends Pick<WorkAddress, 'workId'>>(
  matches: readonly Address[],
  ref: string,
  noun: 'run' | 'conversation',
): Address {
  const isRun = noun === 'run';
  const [first] = matches;
  if (first === undefined) {
    throw new CrewError(
      isRun ? 'RUN_NOT_FOUND' : 'CONVERSATION_NOT_FOUND',
      isLast(ref)
        ? `There is no ${noun} yet.`
        : `No ${noun} matches "${ref}"; give its id, at least ${SHORTEST} characters of its beginning or end, or "last".`,
    );
  }
  if (matches.length > 1) {
    const ids = matches.map(({ workId }) => workId);
    const choices = ids.slice(0, 5).join(', ');
    throw new CrewError(
      isRun ? 'RUN_AMBIGUOUS' : 'CONVERSATION_AMBIGUOUS',
      `"${ref}" matches ${ids.length} ${noun}s (${choices}${ids.length > 5 ? ', …' : ''}); give more of the id.`,
      { details: { [`${noun}s`]: ids } },
    );
  }
  return first;
}
