/** `npm run test:team`: many Works while workers die, freeze and lose the database. The result must be the one of a quiet machine. */
import { chmodSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRuntime } from '@crewagent/core';
import { sha256Of } from '@crewagent/core/store';
import type { RunEvent } from '@crewagent/protocol/events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeTree } from '../../core/src/testing/file-tree.ts';
import { tempFolder } from '../../core/src/testing/temp-folder.ts';
import { openDatabase } from './database/database.ts';
import { migrate } from './database/migrate.ts';
import { startLocalPostgres } from './local-postgres.ts';
import { migrateQueue, openAdvanceQueue } from './queue/advance-queue.ts';
import { createRemoteWorks } from './queue/remote-works.ts';
import { openTeam } from './store/open-team.ts';
import { type Asked, appendPackage, sharedFile, startAppendModel } from './testing/chaos/append-package.ts';
import { makeTrouble } from './testing/chaos/trouble.ts';
import { TEST_KEYS } from './testing/test-keys.ts';

/** How many Works; without it this test is skipped. */
const COUNT = Number(process.env.CREWAGENT_CHAOS ?? 0);
const PER_PROJECT = 10;
const STEPS = 4;
const DELAY_MS = 200;
const HOURS = 3_600_000;

const report = (line: string): void => void process.stdout.write(`${line}\n`);

async function startDatabase() {
  const parent = await tempFolder();
  chmodSync(parent, 0o711);
  const folder = join(parent, 'database');
  let server = await startLocalPostgres({ folder, isThrowaway: true });
  const { url } = server;
  onTestFinished(() => server.stop());
  const database = openDatabase(url, { connections: 20 });
  onTestFinished(() => database.close());
  await migrate(database);
  await migrateQueue(database);
  const restart = async (): Promise<void> => {
    await server.stop();
    server = await startLocalPostgres({ folder, isThrowaway: true, port: Number(new URL(url).port) });
  };
  return { database, restart };
}

/** A server without HTTP, with projects and a model. */
async function setUp() {
  const { database, restart } = await startDatabase();
  const ids = new Map<string, string>();
  const repeated: (Asked & { readonly after: number })[] = [];
  const asked = new Set<string>();
  /** A turn whose reply is stored must not be asked for again. This look may come after the reply to the second request. */
  const judge = async ({ name, callId }: Asked, askedAt: number): Promise<void> => {
    const [stored] = await database.read<{ event: string }>(
      'select event from work_events where work_id = $1 and position($2 in event) > 0 order by seq limit 1',
      [ids.get(name) ?? '', `"${callId}"`],
    );
    if (!stored) return;
    const { ts } = JSON.parse(stored.event) as RunEvent;
    if (Date.parse(ts) < askedAt) repeated.push({ name, callId, after: askedAt - Date.parse(ts) });
  };
  const judged: Promise<void>[] = [];
  const model = await startAppendModel(DELAY_MS, (one) => {
    const key = `${one.name} ${one.callId}`;
    if (asked.has(key)) judged.push(judge(one, Date.now()));
    asked.add(key);
  });
  onTestFinished(() => model.close());
  const [pkg, scratch] = [await tempFolder(), await tempFolder()];
  await writeTree(pkg, appendPackage(STEPS));
  const { store, projects, workspaces } = openTeam({ database, scratch, holder: 'server', keys: TEST_KEYS });
  onTestFinished(() => workspaces.close());
  const runtime = createRuntime({ storeRoot: scratch, store, areContinuedElsewhere: true });
  const queue = await openAdvanceQueue(database);
  onTestFinished(() => queue.close());
  const hosts = createRemoteWorks({ database, queue, runtime, person: () => undefined });
  onTestFinished(() => hosts.close());
  const source = { kind: 'upload' } as const;
  const made: string[] = [];
  for (let index = 0; index < COUNT / PER_PROJECT; index++)
    made.push((await projects.create({ name: `Project ${index}`, source, now: () => new Date() })).projectId);
  const create = async (index: number) => {
    const name = `work-${String(index).padStart(4, '0')}`;
    const projectId = made[index % made.length] ?? '';
    const projectPath = projects.addressOf?.(projectId) ?? '';
    const work = await hosts.open({
      create: {
        package: pkg,
        projectPath,
        model: { model: name, baseUrl: model.url },
        approval: 'autopilot',
      },
    });
    ids.set(name, work.record.workId);
    return { name, projectId, work };
  };
  const eventsOf = async (workId: string): Promise<RunEvent[]> => {
    const events: RunEvent[] = [];
    await store.works.readLog(await store.works.find(workId), (event) => events.push(event));
    return events;
  };
  return { database, restart, store, workspaces, create, eventsOf, asked, judged, repeated };
}

/** The file of a Work that is executed by this process, with files instead of a database. */
async function runLocally(name: string): Promise<string> {
  const model = await startAppendModel(0);
  const [pkg, root, project] = [await tempFolder(), await tempFolder(), await tempFolder()];
  await writeTree(pkg, appendPackage(STEPS));
  const runtime = createRuntime({ storeRoot: root });
  const run = await runtime.createWork({
    package: pkg,
    projectPath: project,
    model: { model: name, baseUrl: model.url },
    approval: 'autopilot',
  });
  await run.engine.start();
  await run.close();
  await model.close();
  return readFile(join(project, 'log', `${name}.md`), 'utf8');
}

describe.skipIf(COUNT === 0)('Works of a team in trouble', () => {
  it('all complete, nothing happens twice, no file is lost', { timeout: HOURS }, async () => {
    const { database, restart, store, workspaces, create, eventsOf, asked, judged, repeated } = await setUp();
    const works: Awaited<ReturnType<typeof create>>[] = [];
    for (let index = 0; index < COUNT; index++) works.push(await create(index));
    const startedAt = performance.now();
    let isOver = false;
    const ended = Promise.allSettled(
      works.map(({ work }) => work.start(undefined, { onAccepted: () => undefined })),
    ).finally(() => {
      isOver = true;
      report(`${COUNT} Works ended after ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    });
    const timer = setInterval(() => void progress().catch(() => undefined), 10_000);
    const progress = async (): Promise<void> => {
      const rows = await database.read<{ phase: string; count: string }>(
        'select phase, count(*) from works group by 1 order by 1',
      );
      report(rows.map(({ phase, count }) => `${phase} ${count}`).join(', '));
    };
    await makeTrouble({
      databaseUrl: database.url,
      restartDatabase: restart,
      isOver: () => isOver,
      report,
    });
    const outcomes = await ended;
    clearInterval(timer);
    await Promise.all(judged);
    const failures = outcomes.flatMap((outcome, index) =>
      outcome.status === 'fulfilled' && outcome.value.phase === 'Completed'
        ? []
        : [{ name: works[index]?.name, workId: works[index]?.work.record.workId, outcome }],
    );
    expect(failures).toEqual([]);
    expect(repeated).toEqual([]);
    report(`${asked.size} turns`);
    const local = await runLocally('work-0000');
    expect(local.match(/step-\d\d/g)).toHaveLength(STEPS);
    for (const { name, projectId, work } of works) {
      const { workId } = work.record;
      const events = await eventsOf(workId);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      const calls = events.flatMap((event) =>
        event.type === 'tool.ended' && event.outcome === 'ok' && !event.callId.startsWith('look')
          ? [event.callId.replace(/_\d+$/, '')]
          : [],
      );
      expect(new Set(calls).size, `${name}: ${calls.join(' ')}`).toBe(calls.length);
      expect((await store.works.read(await store.works.find(workId))).phase).toBe('Completed');
      const head = await workspaces.readHead(projectId);
      expect(await readFile(join(head, 'log', `${name}.md`), 'utf8')).toBe(
        local.replaceAll('work-0000', name),
      );
      const kept = await database.read(
        `select entry from project_files where project_id = $1 and path = 'shared.md' and position($2 in entry) > 0
         union all
         select ours from workspace_conflicts where root_id = $3 and path = 'shared.md' and position($2 in ours) > 0`,
        [projectId, sha256Of(Buffer.from(sharedFile(name))), workId],
      );
      expect(kept.length, `${name}: shared.md`).toBeGreaterThan(0);
    }
  });
});
