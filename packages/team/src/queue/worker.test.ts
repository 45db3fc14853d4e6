import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { STEPS, startChainTeam } from '../testing/chain-team.ts';
import { spawnWorker } from '../testing/worker-process.ts';

// Processes start and leases end; on a busy machine that takes a while.
describe('A Work of a team', { timeout: 240_000 }, () => {
  it('is executed by a worker, and its end is answered through the database', async () => {
    const { database, written, create, eventsOf } = await startChainTeam();
    await spawnWorker(database.url);
    const work = await create();
    expect(await work.start(undefined, { onAccepted: () => undefined })).toMatchObject({
      phase: 'Completed',
    });
    expect(await written()).toHaveLength(STEPS);
    const seqs = (await eventsOf(work.record.workId)).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    await work.close();
  });

  it('goes on in another worker after kill -9, without repeating a turn that is stored', async () => {
    const { database, store, written, model, create, eventsOf } = await startChainTeam({ delayMs: 30 });
    const victim = await spawnWorker(database.url);
    const work = await create();
    const { workId } = work.record;
    const ended = work.start(undefined, { onAccepted: () => undefined });
    await vi.waitFor(
      async () =>
        expect((await eventsOf(workId)).filter(({ type }) => type === 'tool.ended').length).toBeGreaterThan(
          3,
        ),
      { timeout: 120_000, interval: 10 },
    );
    await victim.kill();
    const asked = model.requests.length;
    await spawnWorker(database.url);
    expect(await ended).toMatchObject({ phase: 'Completed' });
    expect(await written()).toHaveLength(STEPS);
    // Two turns for each step and two at the end; at most one was cut off and asked again.
    expect(model.requests.length).toBeLessThanOrEqual(2 * STEPS + 3);
    expect(asked).toBeLessThan(model.requests.length);
    const moves = (await eventsOf(workId)).filter(
      (event) =>
        event.type === 'tool.ended' && event.name === 'runtime.complete_node' && event.outcome === 'ok',
    );
    expect(moves).toHaveLength(STEPS + 1);
    expect((await store.works.read(await store.works.find(workId))).phase).toBe('Completed');
    await work.close();
  });

  it('goes on in another worker while its own is frozen, which then writes nothing', async () => {
    const { database, create, eventsOf } = await startChainTeam({ delayMs: 30 });
    const frozen = await spawnWorker(database.url);
    const work = await create();
    const { workId } = work.record;
    const ended = work.start(undefined, { onAccepted: () => undefined });
    await vi.waitFor(
      async () => expect((await eventsOf(workId)).some(({ type }) => type === 'tool.ended')).toBe(true),
      { timeout: 120_000, interval: 10 },
    );
    frozen.process.kill('SIGSTOP');
    await spawnWorker(database.url);
    expect(await ended).toMatchObject({ phase: 'Completed' });
    const before = await eventsOf(workId);
    frozen.process.kill('SIGCONT');
    const [row] = await database.read<{ now: Date }>('select now()');
    // It goes on and finds that it has lost everything.
    await vi.waitFor(
      async () => {
        const seen = await database.read('select from workers where seen_at > $1', [row?.now ?? new Date()]);
        expect(seen).toHaveLength(2);
      },
      { timeout: 120_000 },
    );
    expect(await eventsOf(workId)).toEqual(before);
    await work.close();
  });

  it('is not asked for again by a worker that was frozen while the provider failed', async () => {
    let fail = (): void => undefined;
    const failsFirst = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const { database, create, model } = await startChainTeam({ failsFirst });
    const frozen = await spawnWorker(database.url, { labels: ['frozen'], slots: 1 });
    const start = async (labels: readonly string[]) => {
      const work = await create(labels);
      onTestFinished(() => work.close());
      return work.start(undefined, { onAccepted: () => undefined });
    };
    const first = start([]);
    await vi.waitFor(() => expect(model.requests).toHaveLength(1), { timeout: 120_000 });
    frozen.process.kill('SIGSTOP');
    fail();
    await spawnWorker(database.url);
    expect(await first).toMatchObject({ phase: 'Completed' });
    frozen.process.kill('SIGCONT');
    // Its only slot is free when it has given the first one up.
    expect(await start(['frozen'])).toMatchObject({ phase: 'Completed' });
    const [asked, ...others] = model.requests.map(({ body }) => JSON.stringify(body.messages));
    expect(others.filter((one) => one === asked)).toHaveLength(0);
  });

  it('waits for a provider without a worker, and goes on when it is time', async () => {
    const { database, create } = await startChainTeam({ retryAfterSeconds: 5 });
    await spawnWorker(database.url);
    const work = await create();
    const ended = work.start(undefined, { onAccepted: () => undefined });
    await vi.waitFor(
      async () => {
        const waiting = await database.read(
          "select from commands where state = 'handed-over' and due_at > now() and not exists (select from claims where claimed_until > now())",
        );
        expect(waiting).toHaveLength(1);
      },
      { timeout: 120_000, interval: 20 },
    );
    expect(await ended).toMatchObject({ phase: 'Completed' });
    await work.close();
  });

  it('is handed over by a worker that is told to end', async () => {
    const { database, create } = await startChainTeam({ delayMs: 50 });
    const first = await spawnWorker(database.url);
    const work = await create();
    const ended = work.start(undefined, { onAccepted: () => undefined });
    await vi.waitFor(() => expect(work.isRunning).toBe(true), { timeout: 120_000 });
    await spawnWorker(database.url);
    await first.kill('SIGTERM');
    expect(first.process.exitCode).toBe(0);
    expect(await ended).toMatchObject({ phase: 'Completed' });
    await work.close();
  });
});
