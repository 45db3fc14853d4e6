/**
 * What was computed from the logs of Works before, in one document of the store, so that a report reads only the logs that changed. The
 * log is the truth: without the cache, or where it is damaged or outdated, the log is read again.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import { nonEmptySchema } from '@crewagent/protocol/scalars';
import * as z from '@crewagent/protocol/zod';
import { ifPossible } from '../base/crew-error.ts';
import type { Store } from '../store/store.ts';
import type { StoredDocument } from '../store/stored-document.ts';
import type { WorkAddress } from '../store/work-address.ts';

interface CachedFold<Value> {
  /** Increased whenever the same log gives another value. */
  readonly version: number;
  /** Of a stored value. */
  readonly schema: z.ZodMiniType<Value>;
  createFold(workId: string): { add(event: RunEvent): void; value(): Value };
}

export async function openLogCache<Value>(
  { works }: Pick<Store, 'works'>,
  document: StoredDocument,
  { version, schema, createFold }: CachedFold<Value>,
) {
  const cacheSchema = z.strictObject({
    version: z.literal(version),
    works: z.record(z.string(), z.strictObject({ logMark: nonEmptySchema, value: schema })),
  });
  // A report does not need the cache.
  const parsed = cacheSchema.safeParse(await ifPossible(document.read()));
  const cached = new Map<string, { readonly logMark: string; readonly value: Value }>(
    parsed.success ? Object.entries(parsed.data.works) : [],
  );
  let isChanged = false;
  const read = async (address: WorkAddress): Promise<Value> => {
    const fold = createFold(address.workId);
    await works.readLog(address, (event) => fold.add(event));
    return fold.value();
  };
  /** The value of a Work as of its present log; undefined if the log has to be read and must not. */
  async function get(address: WorkAddress): Promise<Value>;
  async function get(address: WorkAddress, options: { mayRead: boolean }): Promise<Value | undefined>;
  async function get(address: WorkAddress, { mayRead } = { mayRead: true }): Promise<Value | undefined> {
    const { workId } = address;
    const logMark = await works.logMark(address);
    const known = cached.get(workId);
    if (known && known.logMark === logMark) return known.value;
    if (!mayRead) return undefined;
    const value = await read(address);
    if (logMark !== undefined) {
      cached.set(workId, { logMark, value });
      isChanged = true;
    }
    return value;
  }
  return {
    get,
    /** Forgets Works that do not exist any more, and the oldest of very many. Does nothing if nothing changed. */
    async save(): Promise<void> {
      if (!isChanged) return;
      const ids = new Set((await works.addresses()).slice(0, MAX_WORKS).map(({ workId }) => workId));
      const kept = Object.fromEntries([...cached].filter(([workId]) => ids.has(workId)));
      await ifPossible(document.change((write) => write({ version, works: kept })));
    },
  };
}

const MAX_WORKS = 20_000;
