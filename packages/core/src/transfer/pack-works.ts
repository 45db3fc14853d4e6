/**
 * A Work and the runs of its tree as hashes and contents, for another store. Contents are read when they are sent: only those that the
 * receiver lacks.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunEvent } from '@crewagent/protocol/events';
import type { JournalRecord } from '@crewagent/protocol/journal';
import type { TransferredWork } from '@crewagent/protocol/transfer';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../base/crew-error.ts';
import { listTree } from '../base/list-tree.ts';
import { sha256Of } from '../base/sha256.ts';
import { sealLine } from '../store/log-chain.ts';
import type { WorkAddress } from '../store/work-address.ts';
import { nounOf } from '../store/work-records.ts';
import type { WorkStore } from '../store/work-store.ts';

/** How to get a content, by its hash. */
export type Contents = Map<string, () => Promise<Buffer>>;

export interface PackedWorks {
  readonly works: readonly TransferredWork[];
  readonly records: readonly WorkRecord[];
  readonly journals: readonly JournalRecord[][];
  readonly contents: Contents;
}

/** Events in one content: a log that has grown shares all contents but the last. */
const EVENTS_IN_PART = 500;

/** `root` belongs to no other Work. The caller holds its lease, or knows that nobody works on it. */
export async function packWorks(works: WorkStore, root: WorkAddress): Promise<PackedWorks> {
  const contents: Contents = new Map();
  const packed: TransferredWork[] = [];
  const records: WorkRecord[] = [];
  const journals: JournalRecord[][] = [];
  const children = (await works.children(root)).toSorted((one, other) =>
    one.workId < other.workId ? -1 : 1,
  );
  for (const address of [root, ...children]) {
    const record = await works.read(address);
    const { records: journal, read } = await works.readJournal(address);
    packed.push({
      record: { ...record },
      ...(await packLog(works, address, contents)),
      state: await packState(await works.stateFolder(address), contents),
      ...(journal.length === 0 ? {} : { journal: addText(contents, journal.map(toLine).join('')) }),
      images: await packImages(journal, read, contents),
    });
    records.push(record);
    journals.push([...journal]);
  }
  return { works: packed, records, journals, contents };
}

const toLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

function addText(contents: Contents, text: string): string {
  const content = Buffer.from(text);
  const sha256 = sha256Of(content);
  contents.set(sha256, () => Promise.resolve(content));
  return sha256;
}

export async function readEvents(works: WorkStore, address: WorkAddress): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const { isIntact, lastSeq, brokenAt } = await works.readLog(address, (event) => events.push(event));
  if (isIntact && events.length === lastSeq) return events;
  const message = isIntact
    ? `The log of the ${nounOf(address)} has events that only a newer version of crewagent knows.`
    : `The log of the ${nounOf(address)} was damaged or changed at event ${brokenAt ?? '?'}; it cannot be moved.`;
  throw new CrewError('STORE_DAMAGED', message);
}

async function packLog(
  works: WorkStore,
  address: WorkAddress,
  contents: Contents,
): Promise<Pick<TransferredWork, 'log' | 'lastSeq'>> {
  const events = await readEvents(works, address);
  const log: string[] = [];
  let lastHash = '';
  for (let from = 0; from < events.length; from += EVENTS_IN_PART) {
    const lines = events.slice(from, from + EVENTS_IN_PART).map((event) => {
      const { text, hash } = sealLine(event, lastHash);
      lastHash = hash;
      return text;
    });
    log.push(addText(contents, lines.join('')));
  }
  return { log, lastSeq: events.length };
}

async function packState(folder: string, contents: Contents): Promise<Record<string, string>> {
  const state: Record<string, string> = {};
  for (const { path, entry } of listTree(folder)) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    const file = join(folder, path);
    const sha256 = sha256Of(await readFile(file));
    contents.set(sha256, () => readFile(file));
    state[path] = sha256;
  }
  return state;
}

async function packImages(
  journal: readonly JournalRecord[],
  read: (sha256: string) => Promise<Buffer | undefined>,
  contents: Contents,
): Promise<string[]> {
  const images: string[] = [];
  for (const sha256 of imagesOf(journal)) {
    // One that is damaged cannot be restored here either.
    if ((await read(sha256)) === undefined) continue;
    contents.set(sha256, async () => (await read(sha256)) ?? Buffer.alloc(0));
    images.push(sha256);
  }
  return images;
}

/** Contents that the journal kept. */
export function imagesOf(journal: readonly JournalRecord[]): Set<string> {
  const images = new Set<string>();
  for (const record of journal)
    if ('before' in record)
      for (const image of [record.before, record.after]) if (image?.kept) images.add(image.sha256);
  return images;
}

/** The Work that a run belongs to, and the run itself if it belongs to none. */
export async function findTreeRoot(works: WorkStore, address: WorkAddress): Promise<WorkAddress> {
  const { parentId } = await works.read(address);
  return parentId === undefined ? address : findTreeRoot(works, await works.find(parentId));
}

/** Hashes of the packages that these Works need. */
export function packagesOf(records: readonly WorkRecord[]): Set<string> {
  const hashes = records.map((record) =>
    record.workflowRef === undefined ? record.agent?.package.hash : record.packageHash,
  );
  return new Set(hashes.filter((hash) => hash !== undefined));
}
