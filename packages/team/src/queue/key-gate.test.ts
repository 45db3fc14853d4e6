import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Database } from '../database/database.ts';
import { startChainTeam } from '../testing/chain-team.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { spawnWorker } from '../testing/worker-process.ts';
import { openKeyGate, type TeamKeyGate } from './key-gate.ts';

async function openGates(database: Database): Promise<[TeamKeyGate, TeamKeyGate]> {
  const open = async (workerId: string): Promise<TeamKeyGate> => {
    await database.write(
      `insert into workers (worker_id, host, process, version, slots, labels) values ($1, 'machine', 1, '1', 8, '{}')`,
      [workerId],
    );
    const gate = await openKeyGate(database, workerId);
    onTestFinished(() => gate.close());
    return gate;
  };
  return [await open('one'), await open('other')];
}

type Entry = Awaited<ReturnType<TeamKeyGate['enter']>>;
const waitOf = (entry: Entry): number => ('waitMs' in entry ? entry.waitMs : 0);

describe('The gate of a key', () => {
  it('lets as many requests of all workers in at once as the limit says, and others when they leave', async () => {
    const database = await testDatabase();
    const [one, other] = await openGates(database);
    const limits = { concurrentRequests: 3 };
    const entries = await Promise.all(
      Array.from({ length: 8 }, (_, at) => (at % 2 ? one : other).enter('key', limits)),
    );
    expect(entries.filter((entry) => waitOf(entry) > 0)).toHaveLength(5);
    expect(waitOf(await one.enter('another key', limits))).toBe(0);
    for (const entry of entries) if ('leave' in entry) entry.leave();
    await vi.waitFor(async () => expect(waitOf(await other.enter('key', limits))).toBe(0));
  });

  it('does not count the requests of a worker that died', async () => {
    const database = await testDatabase();
    const [one, other] = await openGates(database);
    const limits = { concurrentRequests: 1 };
    await one.enter('key', limits);
    expect(waitOf(await other.enter('key', limits))).toBeGreaterThan(0);
    await database.write("update workers set seen_at = now() - interval '1 min' where worker_id = 'one'");
    expect(waitOf(await other.enter('key', limits))).toBe(0);
  });

  it('spreads requests over the minute', async () => {
    const [one, other] = await openGates(await testDatabase());
    const limits = { requestsPerMinute: 60 };
    const entries = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 ? one : other).enter('key', limits)),
    );
    const waits = entries.map(waitOf).filter((ms) => ms > 0);
    // Ten seconds' worth at once, and those that came while the others were counted.
    expect(waits.length).toBeLessThanOrEqual(10);
    expect(waits.length).toBeGreaterThan(0);
  });

  it('is closed for all workers while one of them was asked to wait', async () => {
    const database = await testDatabase();
    const [one, other] = await openGates(database);
    one.pause('key', 60_000);
    await vi.waitFor(async () => expect(waitOf(await other.enter('key', {}))).toBeGreaterThan(50_000));
    const late = await openKeyGate(database, 'late');
    onTestFinished(() => late.close());
    expect(waitOf(await late.enter('key', {}))).toBeGreaterThan(50_000);
    expect(waitOf(await late.enter('another key', {}))).toBe(0);
  });
});

describe('Workers with one key', { timeout: 240_000 }, () => {
  it('do not ask a provider that has asked one of them to wait, and hold no slot meanwhile', async () => {
    const { database, model, create } = await startChainTeam({ retryAfterSeconds: 15 });
    await Promise.all([spawnWorker(database.url), spawnWorker(database.url)]);
    const options = { onAccepted: () => undefined };
    const first = await create();
    const ended = [first.start(undefined, options)];
    const waiting = (count: number) =>
      vi.waitFor(
        async () => {
          const rows = await database.read(
            "select from commands where state = 'handed-over' and due_at > now() and not exists (select from claims where claimed_until > now())",
          );
          expect(rows).toHaveLength(count);
        },
        { timeout: 60_000, interval: 20 },
      );
    await waiting(1);
    const second = await create();
    ended.push(second.start(undefined, options));
    await waiting(2);
    expect(model.requests).toHaveLength(1);
    expect(await Promise.all(ended)).toMatchObject([{ phase: 'Completed' }, { phase: 'Completed' }]);
    for (const work of [first, second]) await work.close();
  });

  it('keep the limit of requests at once together', async () => {
    const { database, store, model, create } = await startChainTeam({ delayMs: 40 });
    const limits = { concurrentRequests: 2 };
    await store.settings.update({ models: { limited: { model: 'm', baseUrl: model.url, limits } } });
    await spawnWorker(database.url);
    await spawnWorker(database.url);
    const works = await Promise.all(Array.from({ length: 6 }, () => create([], { model: 'limited' })));
    const ended = await Promise.all(
      works.map((work) => work.start(undefined, { onAccepted: () => undefined })),
    );
    expect(new Set(ended.map(({ phase }) => phase))).toEqual(new Set(['Completed']));
    expect(model.mostAtOnce()).toBe(2);
    for (const work of works) await work.close();
  });
});
