import { describe, expect, it, vi } from 'vitest';
import { startChainTeam } from '../testing/chain-team.ts';
import { createNamespace, HAS_NAMESPACES } from '../testing/network-namespace.ts';
import { spawnWorker } from '../testing/worker-process.ts';

const portOf = (url: string): number => Number(new URL(url).port);

describe.skipIf(!HAS_NAMESPACES)('A worker whose cable is pulled', { timeout: 240_000 }, () => {
  it('writes nothing after its lease ended, and others go on', async () => {
    const { database, model, create, eventsOf } = await startChainTeam({ delayMs: 100 });
    const network = await createNamespace([portOf(database.url), portOf(model.url)]);
    const at = (url: string): string => url.replace('127.0.0.1', network.host);
    await spawnWorker(at(database.url), { prefix: network.prefix });
    const work = await create([], { model: 'm', baseUrl: at(model.url) });
    const { workId } = work.record;
    const ended = work.start(undefined, { onAccepted: () => undefined });
    await vi.waitFor(
      async () => expect((await eventsOf(workId)).some(({ type }) => type === 'tool.ended')).toBe(true),
      { timeout: 120_000, interval: 10 },
    );
    network.pull();
    await spawnWorker(database.url);
    expect(await ended).toMatchObject({ phase: 'Completed' });
    const before = await eventsOf(workId);
    const [row] = await database.read<{ now: Date }>('select now()');
    network.plug();
    // It is back, and knows it.
    await vi.waitFor(
      async () => {
        const seen = await database.read('select from workers where seen_at > $1', [row?.now ?? new Date()]);
        expect(seen).toHaveLength(2);
      },
      { timeout: 180_000 },
    );
    expect(await eventsOf(workId)).toEqual(before);
    const holders = await database.read('select distinct epoch from work_events where work_id = $1', [
      workId,
    ]);
    expect(holders.length).toBeGreaterThan(1);
    await work.close();
  });
});
