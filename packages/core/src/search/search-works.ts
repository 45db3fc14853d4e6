/** Searches the Works of a store: updates the index as far as there is time, newest Works first, then scans it. */
import type { FoundText, FoundWork } from '@crewagent/protocol/api/search';
import { toShownTitle } from '@crewagent/protocol/conversation-title';
import { CrewError, ifPossible } from '../base/crew-error.ts';
import { mapLimit } from '../base/map-limit.ts';
import { toProjectPath } from '../mounts/mount-path.ts';
import { createMountedFs, type MountedFs } from '../mounts/mounted-fs.ts';
import { maskSecrets } from '../mounts/sensitive/hidden-values.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import type { Store } from '../store/store.ts';
import type { WorkAddress } from '../store/work-address.ts';
import { matchPassages, toSnippet, toWantedWords, type WantedWords } from './find-passages.ts';
import { createPassageFold, type Passage } from './fold-passages.ts';
import { openSearchIndex, type SearchIndex } from './search-index.ts';

export interface SearchQuery {
  readonly text: string;
  /** Default: all. */
  readonly projects?: ReadonlySet<string> | undefined;
  readonly limit?: number | undefined;
  /** How long the index may be updated. */
  readonly budgetMs: number;
}

const MAX_FOUND = 50;
const SNIPPETS = 3;
/** Of matching Works the newest are compared. */
const MAX_COMPARED = 500;
const STATS_AT_ONCE = 64;
/** The stat of every log costs half a second of CPU at ten thousand Works. */
const FRESH_MS = 5_000;

/** One per process: it keeps the index in memory. */
export function createWorkSearch(store: Store, nowMs: () => number = Date.now) {
  let opened: Promise<SearchIndex> | undefined;
  /** What the index was last compared with. */
  let listed:
    | { readonly addresses: readonly WorkAddress[]; readonly total: number; readonly atMs: number }
    | undefined;
  const refresh = async (index: SearchIndex, budgetMs: number) => {
    // Someone who types searches several times a second.
    if (listed && listed.total <= index.size() && nowMs() - listed.atMs < FRESH_MS) return listed;
    const addresses = await store.works.addresses();
    const total = await updateIndex(store, index, addresses, startBudget(nowMs, budgetMs));
    await index.save(new Set(addresses.map(({ workId }) => workId)));
    listed = { addresses, total, atMs: nowMs() };
    return listed;
  };
  return async ({ text, projects, limit = MAX_FOUND, budgetMs }: SearchQuery): Promise<FoundText> => {
    opened ??= openSearchIndex(store.searchTexts);
    const index = await opened;
    const { addresses, total } = await refresh(index, budgetMs);
    const words = toWantedWords(text);
    const searched = addresses.filter(({ projectId }) => projects?.has(projectId) ?? true);
    return {
      works: words
        ? await findWorks(store, index, { searched, words, limit: Math.min(limit, MAX_FOUND) })
        : [],
      indexed: index.size(),
      total,
      isFull: index.isFull(),
    };
  };
}

/** Started when it is called: whether the time is over. */
function startBudget(nowMs: () => number, budgetMs: number): () => () => boolean {
  return () => {
    const deadline = nowMs() + budgetMs;
    return () => nowMs() > deadline;
  };
}

/** Returns how many Works have a log. */
async function updateIndex(
  store: Store,
  index: SearchIndex,
  addresses: readonly WorkAddress[],
  startClock: () => () => boolean,
): Promise<number> {
  const marks = await mapLimit(addresses, STATS_AT_ONCE, (address) => store.works.logMark(address));
  // The time is for reading: finding out what changed must not use it up.
  const isOver = startClock();
  const projects = new Map<string, Promise<MountedFs | undefined>>();
  for (const [at, address] of addresses.entries()) {
    const mark = marks[at];
    const { workId, projectId } = address;
    if (mark === undefined || index.get(workId)?.mark === mark) continue;
    if (isOver() || index.isFull()) break;
    const files = projects.get(projectId) ?? openProject(store, projectId);
    projects.set(projectId, files);
    index.put(workId, { mark, passages: await readPassages(store, address, await files) });
  }
  return marks.filter((mark) => mark !== undefined).length;
}

/** Undefined if its folder is gone. Secret files are not read. */
async function openProject(store: Store, projectId: string): Promise<MountedFs | undefined> {
  try {
    const [{ path }, { tools }] = await Promise.all([store.projects.read(projectId), store.settings.load()]);
    const isSecret = createSecretCheck(tools.fs.secretPatterns);
    return createMountedFs({ project: path, pkg: undefined, state: undefined }, isSecret);
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}

async function readPassages(
  store: Store,
  address: WorkAddress,
  files: MountedFs | undefined,
): Promise<readonly Passage[]> {
  const fold = createPassageFold();
  await store.works.readLog(address, fold.add);
  const { passages, files: written, lastSeq } = fold.result();
  const title = await readTitle(store, address);
  const texts = files ? await readFiles(files, written) : [];
  const all: Passage[] = [{ kind: 'title', seq: lastSeq, text: title }, ...passages, ...texts];
  return all.map((passage) => ({ ...passage, text: maskSecrets(passage.text) }));
}

async function readTitle(store: Store, address: WorkAddress): Promise<string> {
  // The messages of a damaged record can still be found.
  const record = await ifPossible(store.works.read(address));
  return record ? toShownTitle(record) : '';
}

const MAX_FILES = 20;
const MAX_FILE_BYTES = 64 * 1024;

/** Files that are gone, too large, binary or out of reach are left out. */
async function readFiles(
  files: MountedFs,
  written: ReadonlyMap<string, number>,
): Promise<readonly Passage[]> {
  const passages: Passage[] = [];
  for (const [path, seq] of [...written].slice(-MAX_FILES)) {
    try {
      const content: Buffer | undefined = await files.withFile(
        toProjectPath(path),
        async ({ handle, bytes }) => (bytes > MAX_FILE_BYTES ? undefined : handle.readFile()),
      );
      if (!content || content.includes(0)) continue;
      passages.push({ kind: 'file', seq, path, text: content.toString('utf8') });
    } catch {
      // The search is for what can be read.
    }
  }
  return passages;
}

interface FindOptions {
  readonly searched: readonly WorkAddress[];
  readonly words: WantedWords;
  readonly limit: number;
}

async function findWorks(store: Store, index: SearchIndex, options: FindOptions): Promise<FoundWork[]> {
  const { searched, words, limit } = options;
  const found: { address: WorkAddress; score: number; passages: readonly Passage[] }[] = [];
  for (const address of searched) {
    if (found.length >= MAX_COMPARED) break;
    const match = matchPassages(index.get(address.workId)?.passages ?? [], words);
    if (match) found.push({ address, ...match });
  }
  found.sort((a, b) => b.score - a.score);
  const works = new Map<string, FoundWork>();
  for (const { address, passages } of found) {
    if (works.size >= limit) break;
    const root = await findOpened(store, address);
    if (!root) continue;
    const known = works.get(root.workId);
    const snippets = passages
      .slice(0, SNIPPETS)
      .map((passage) => ({ ...toSnippet(passage, words), ...placeOf(address.workId, passage) }));
    works.set(root.workId, {
      ...root,
      snippets: [...(known?.snippets ?? []), ...snippets].slice(0, SNIPPETS),
    });
  }
  return [...works.values()];
}

function placeOf(runId: string, { kind, seq, path }: Passage) {
  return { runId, kind, seq, path };
}

/** The Work in which a person sees it; undefined if it was deleted meanwhile. A conversation without a title has that of its run. */
async function findOpened(
  store: Store,
  address: WorkAddress,
  titleBelow = '',
): Promise<Omit<FoundWork, 'snippets'> | undefined> {
  try {
    const record = await store.works.read(address);
    const title = toShownTitle(record) || titleBelow || (record.agent?.name ?? '');
    const { workId, projectId, parentId, updatedAt } = record;
    if (parentId === undefined) return { workId, projectId, title, updatedAt };
    return await findOpened(store, await store.works.find(parentId), title);
  } catch (error) {
    if (error instanceof CrewError) return undefined;
    throw error;
  }
}
