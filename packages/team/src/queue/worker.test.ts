import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createRuntime } from '@crewagent/core';
import type { RunEvent } from '@crewagent/protocol/events';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { openTeam } from '../store/open-team.ts';
import { type ChainModelOptions, chainPackage, startChainModel } from '../testing/chain-package.ts';
import { testDatabase } from '../testing/team-rig.ts';
import { TEST_KEYS } from '../testing/test-keys.ts';
import { spawnWorker } from '../testing/worker-process.ts';
import { openAdvanceQueue } from './advance-queue.ts';
import { createRemoteWorks } from './remote-works.ts';

const STEPS = 6;

/** A server without HTTP, a project, a chain of steps, and a model that any worker may ask. */
async function setUp(options: ChainModelOptions = {}) {
  const database = await testDatabase();
  const model = await startChainModel(options);
  onTestFinished(() => model.close());
  const [pkg, scratch] = [await tempFolder(), await tempFolder()];
  await writeTree(pkg, chainPackage(STEPS));
  const { store, projects, workspaces } = openTeam({ database, scratch, holder: 'server', keys: TEST_KEYS });
  const now = () => new Date();
  const { projectId } = await projects.create({ name: 'Project', source: { kind: 'upload' }, now });
  const runtime = createRuntime({ storeRoot: scratch, store, areContinuedElsewhere: true });
  const queue = await openAdvanceQueue(database);
  onTestFinished(() => queue.close());
  const hosts = createRemoteWorks({ database, queue, runtime, person: () => undefined });
  onTestFinished(() => hosts.close());
  const create = () =>
    hosts.open({
      create: {
        package: pkg,
        projectPath: projects.addressOf?.(projectId) ?? '',
        model: { model: 'm', baseUrl: model.url },
        approval: 'autopilot',
      },
    });
  const eventsOf = async (workId: string): Promise<RunEvent[]> => {
    const events: RunEvent[] = [];
    await store.works.readLog(await store.works.find(workId), (event) => events.push(event));
    return events;
  };
  const written = async () => (await readdir(join(await workspaces.readHead(projectId), 'out'))).sort();
  return { database, store, model, written, create, eventsOf };
}

// Processes start and leases end; on a busy machine that takes a while.
describe('A Work of a team', { timeout: 240_000 }, () => {
  it('is executed by a worker, and its end is answered through the database', async () => {
    const { database, written, create, eventsOf } = await setUp();
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
    const { database, store, written, model, create, eventsOf } = await setUp({ delayMs: 30 });
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
    const { database, create, eventsOf } = await setUp({ delayMs: 30 });
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

  it('waits for a provider without a worker, and goes on when it is time', async () => {
    const { database, create } = await setUp({ retryAfterSeconds: 5 });
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
    const { database, create } = await setUp({ delayMs: 50 });
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
