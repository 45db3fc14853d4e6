/**
 * All runs or conversations of a store, kept up to date by looking: whichever process changes a record, the next look sees
 * it. Reads only records that are not what they were.
 */
import { stat } from 'node:fs/promises';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunRecord } from '@crewagent/protocol/run';
import { errnoOf, withDiskErrors } from '../base/errno.ts';
import { mapLimit } from '../base/map-limit.ts';
import { conversationsOf } from './find-conversations.ts';
import { type Listed, listAddresses, type RecordKind, readListed } from './find-records.ts';
import { runsOf } from './find-runs.ts';
import type { ConversationAddress, RunAddress, StoreLayout } from './layout.ts';

export interface RecordWatch<Address, Entry> {
  /** What is different since the last look; the first look tells everything. */
  look(): Promise<RecordChanges<Address, Entry>>;
  /** As of the last look, the one that was made last first. */
  list(): readonly Listed<Address, Entry>[];
}

export interface RecordChanges<Address, Entry> {
  readonly changed: readonly Listed<Address, Entry>[];
  readonly removed: readonly Address[];
}

export function createRunWatch(store: StoreLayout): RecordWatch<RunAddress, RunRecord> {
  return createRecordWatch(store, runsOf(store));
}

export function createConversationWatch(
  store: StoreLayout,
): RecordWatch<ConversationAddress, ConversationRecord> {
  return createRecordWatch(store, conversationsOf(store));
}

const LANES = 16;

interface Seen<Address, Entry> {
  readonly stamp: string;
  readonly found: Listed<Address, Entry>;
}

function createRecordWatch<Address, Entry>(
  store: StoreLayout,
  kind: RecordKind<Address, Entry>,
): RecordWatch<Address, Entry> {
  let known = new Map<string, Seen<Address, Entry>>();
  let looking: Promise<RecordChanges<Address, Entry>> | undefined;

  const lookOnce = async (): Promise<RecordChanges<Address, Entry>> => {
    const next = new Map<string, Seen<Address, Entry>>();
    const changed: Listed<Address, Entry>[] = [];
    const addresses = await listAddresses(store, kind, {});
    const seen = await mapLimit(addresses, LANES, async (address) => {
      const stamp = await stampOf(kind.pathsOf(address).record);
      const before = known.get(kind.idOf(address));
      if (before?.stamp === stamp) return before;
      const found = await readListed(kind, address);
      if (found) changed.push(found);
      return found && { stamp, found };
    });
    for (const entry of seen) if (entry) next.set(kind.idOf(entry.found), entry);
    const removed = [...known.values()]
      .map(({ found }) => found)
      .filter((address) => !next.has(kind.idOf(address)));
    known = next;
    return { changed, removed };
  };

  return {
    look() {
      looking ??= lookOnce().finally(() => {
        looking = undefined;
      });
      return looking;
    },
    list: () => [...known.values()].map(({ found }) => found),
  };
}

/** Changes whenever the record is replaced. */
async function stampOf(file: string): Promise<string> {
  return withDiskErrors('Could not look at a record', async () => {
    try {
      const { ino, size, mtimeNs } = await stat(file, { bigint: true });
      return `${ino}:${size}:${mtimeNs}`;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return 'missing';
      throw error;
    }
  });
}
