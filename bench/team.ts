/**
 * The team edition on this machine, with a PostgreSQL of its own: turns of a hundred runs against the local server, four workers against
 * one, the first page of many Works, what waiting Works cost, how soon an event is in the stream of another server.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createAccounts } from '../packages/team/src/accounts/accounts.ts';
import { createRuns, perSecond, prepare, readCpuMs, startReader, startServer } from './load.ts';
import { atMost, inFolder, median, quantile, type Row, toRow } from './measure.ts';
import { openBenchTeam, type Team } from './team-rig.ts';

const RUNS = 100;
const TURNS = 20;
/** A program that was just started is slow. */
const WARM_RUNS = 40;
const WARM_TURNS = 20;
const ROUNDS = 3;
/** Workers that wait for a model nearly all the time, so that they do not share a full machine. */
const WAITING = { slots: 8, thinksMs: 300, runs: 32, turns: 8 };
const WORKS = 10_000;
const STREAMS = 500;
/** Each stream has two heartbeats. */
const QUIET_MS = 30_000;

export async function benchTeam(): Promise<Row[]> {
  const provider = await startReader();
  return inFolder(async (folder) => {
    chmodSync(folder, 0o711);
    const team = await openBenchTeam(folder, provider.url);
    const local = await startServer(await prepare(join(folder), provider.url));
    try {
      return [
        ...(await compareTurns(team, local, provider)),
        ...(await compareWaiting(team, provider)),
        ...(await measureServer(team)),
        ...(await measureWaiting(team)),
      ];
    } finally {
      await local.close();
      await team.close();
    }
  }, provider.close);
}

type Provider = Awaited<ReturnType<typeof startReader>>;

/** Turns per second of all runs: local, one worker and four, in turn. */
async function compareTurns(
  team: Team,
  local: Awaited<ReturnType<typeof startServer>>,
  provider: Provider,
): Promise<Row[]> {
  const measure = (create: () => Promise<unknown>, runs = RUNS, turns = TURNS): Promise<number> =>
    measureRate(provider, create, { runs, turns });
  const createRunsOfTeam = (count: number) => createRunsIn(team, count);
  const seen: Record<'local' | 'one' | 'four' | 'creating' | 'worker' | 'database', number[]> = {
    ...{ local: [], one: [], four: [], creating: [], worker: [], database: [] },
  };
  const ofTeam = async (count: number): Promise<number> => {
    const slots = String(RUNS / count);
    const workers = await Promise.all(
      Array.from({ length: count }, () => team.start('worker', '--slots', slots)),
    );
    await measure(() => createRunsOfTeam(WARM_RUNS), WARM_RUNS, WARM_TURNS);
    const cpu = () => workers.reduce((sum, worker) => sum + readCpuMs(worker.process.pid), 0);
    const before = { worker: cpu(), database: team.databaseCpuMs() };
    const rate = await measure(async () => {
      const startedAt = performance.now();
      await createRunsOfTeam(RUNS);
      seen.creating.push((performance.now() - startedAt) / 1_000);
    });
    if (count === 1) {
      seen.worker.push((cpu() - before.worker) / provider.requests);
      seen.database.push((team.databaseCpuMs() - before.database) / provider.requests);
    }
    for (const worker of workers) await worker.stop();
    return rate;
  };
  for (let round = 0; round < ROUNDS; round++) {
    seen.local.push(await measure(() => createRuns(local, RUNS)));
    seen.one.push(await ofTeam(1));
    seen.four.push(await ofTeam(4));
  }
  const [ofLocal, ofOne, ofFour] = [median(seen.local), median(seen.one), median(seen.four)];
  return [
    {
      ...perSecond(`turns per second of ${RUNS} runs on one worker`, ofOne, Math.round(ofLocal)),
      limit: 1.67,
    },
    // One worker, PostgreSQL and the provider fill two cores; see compareWaiting.
    { ...perSecond('turns per second on four workers, against one', ofFour, Math.round(ofOne)), limit: 1.25 },
    perSecond('new runs of a team per second', RUNS / median(seen.creating), 60),
    atMost('processor time of a turn on a worker', median(seen.worker), 8),
    atMost('processor time of a turn in the database', median(seen.database), 3),
  ];
}

/** Turns per second. */
async function measureRate(
  provider: Provider,
  create: () => Promise<unknown>,
  { runs, turns }: { readonly runs: number; readonly turns: number },
): Promise<number> {
  Object.assign(provider, { turns, requests: 0 });
  const startedAt = performance.now();
  await create();
  if (provider.requests === 0) provider.lastAt = performance.now();
  await provider.answered(runs * (turns + 1));
  if (provider.requests < runs * (turns + 1)) throw new Error(`only ${provider.requests} requests came`);
  return (provider.requests * 1_000) / (provider.lastAt - startedAt);
}

const createRunsIn = (team: Team, count: number) =>
  Promise.all(Array.from({ length: count }, () => team.create()));

/** One, two and four workers whose slots are full and whose processors are not: what they do together is what the store lets them do. */
async function compareWaiting(team: Team, provider: Provider): Promise<Row[]> {
  const { slots, thinksMs, runs, turns } = WAITING;
  const rates = new Map<number, number[]>([1, 2, 4].map((count) => [count, []]));
  Object.assign(provider, { thinksMs });
  for (let round = 0; round < ROUNDS; round++)
    for (const [count, seen] of rates) {
      const workers = await Promise.all(
        Array.from({ length: count }, () => team.start('worker', '--slots', String(slots))),
      );
      await measureRate(provider, () => createRunsIn(team, count * slots), { runs: count * slots, turns: 2 });
      seen.push(await measureRate(provider, () => createRunsIn(team, runs), { runs, turns }));
      for (const worker of workers) await worker.stop();
    }
  Object.assign(provider, { thinksMs: 0 });
  const [one = 0, two = 0, four = 0] = [...rates.values()].map(median);
  const what = `workers with ${slots} slots, replies in ${thinksMs} ms`;
  return [
    perSecond(`turns per second of two ${what}: 1.6 × one`, two, Math.round(one * 1.6)),
    perSecond(`turns per second of four ${what}: 1.6 × one`, four, Math.round(one * 1.6)),
  ];
}

async function openAdmin({ database }: Team): Promise<string> {
  const accounts = createAccounts({ database });
  const email = `${randomBytes(4).toString('hex')}@example.com`;
  const { personId } = await accounts.people.create({ email, name: 'Bench', isAdmin: true });
  return (await accounts.tokens.create(personId, { name: 'bench', scope: 'manage', days: 1 })).token;
}

/** Many Works, many streams, and how soon an event is in them; then a stream of each of many Works, which are quiet. */
async function measureServer(team: Team): Promise<Row[]> {
  const { database } = team;
  const workId = await team.create();
  const token = await openAdmin(team);
  await database.write(
    `insert into works (work_id, project_id, root_id, is_run, package_hash, phase, record)
     select id, project_id, id, true, package_hash, 'WaitingUser',
       replace(replace(record, $1, id), '"phase":"Running"', '"phase":"WaitingUser"')
     from works, (select substr($1, 1, 24) || lpad(to_hex(number), 12, '0') as id from generate_series(1, $2::int) as number) as new
     where work_id = $1`,
    [workId, WORKS],
  );
  // Other Works are those of the rows before, with logs of their own.
  for (const copy of [
    'insert into work_heads (work_id, last_seq) select works.work_id, last_seq from works, work_heads as head where head.work_id = $1',
    `insert into work_events (work_id, seq, epoch, event)
     select works.work_id, seq, 0, event from works, work_events as first where first.work_id = $1`,
  ])
    await database.write(`${copy} and works.work_id <> $1 on conflict do nothing`, [workId]);
  const server = await team.start('serve', '--team');
  const url = /http:\S+/.exec(server.said.replaceAll('\u001b', ' '))?.[0] ?? '';
  const headers = { authorization: `Bearer ${token}` };
  const times: number[] = [];
  for (let index = 0; index < 40; index++) {
    const startedAt = performance.now();
    const response = await fetch(`${url}/api/v1/works?limit=50`, { headers });
    await response.text();
    if (!response.ok) throw new Error(`the list of Works: ${response.status}`);
    times.push(performance.now() - startedAt);
  }
  const streamsOf = (ids: readonly string[]) =>
    openStreams((index) => `${url}/api/v1/works/${ids[index % ids.length]}/events`, headers);
  const ofOne = await streamsOf([workId]);
  const delays = await ofOne.measure(database, workId);
  ofOne.close();
  const ids = await database.read<{ work_id: string }>('select work_id from works limit $1', [STREAMS]);
  const streams = await streamsOf(ids.map((row) => row.work_id));
  const rss = rssOf(server.process.pid);
  const cpuBefore = readCpuMs(server.process.pid);
  await wait(QUIET_MS);
  const cpu = readCpuMs(server.process.pid) - cpuBefore;
  streams.close();
  await server.stop();
  return [
    atMost(`first page of ${WORKS} Works, p50`, median(times), 50),
    atMost(`an event in ${STREAMS} streams of another process, p99`, quantile(delays, 0.99), 300),
    atMost(`memory of a server with ${STREAMS} streams`, rss, 400, 'MB'),
    atMost('processor time of that server in a quiet second', cpu / (QUIET_MS / 1_000), 20),
  ];
}

/** Readers that cost little themselves: they share the machine with the server. */
async function openStreams(urlOf: (index: number) => string, headers: Record<string, string>) {
  const agent = new Agent();
  let onChunk = (_chunk: Buffer): void => undefined;
  const open = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const asked = get(urlOf(index), { headers, agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`a stream: ${response.statusCode}`));
        response.on('data', (chunk: Buffer) => onChunk(chunk)).on('error', () => undefined);
        resolve();
      });
      asked.on('error', reject);
    });
  for (let index = 0; index < STREAMS; index++) await open(index);
  return {
    /** From the commit of an event to each stream. */
    async measure(database: Team['database'], workId: string): Promise<number[]> {
      const delays: number[] = [];
      for (let index = 0; index < 20; index++) {
        const mark = `mark-${index}-`;
        const [head] = await database.read<{ epoch: string; commits: number; last_seq: number }>(
          'select epoch, commits, last_seq from work_heads where work_id = $1',
          [workId],
        );
        if (!head) throw new Error('the Work has no log');
        const seq = head.last_seq + 1;
        const ts = new Date().toISOString();
        const event = JSON.stringify({ v: 1, seq, ts, runId: workId, type: 'warning', message: mark });
        const sentAt = performance.now();
        onChunk = (chunk) => void (chunk.includes(mark) && delays.push(performance.now() - sentAt));
        await database.write(
          "select commit_work($1, $2, $3, $4, $5::text[], '{}', '{}', '{}', 0, '{}', '{}', '{}')",
          [workId, head.epoch, head.commits, head.last_seq, [event]],
        );
        await wait(1_000);
      }
      return delays;
    },
    close: () => agent.destroy(),
  };
}

function rssOf(pid: number | undefined): number {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1_024;
}

/** A worker with many Works that wait for people. */
async function measureWaiting(team: Team): Promise<Row[]> {
  const worker = await team.start('worker');
  await wait(5_000);
  const before = readCpuMs(worker.process.pid);
  await wait(QUIET_MS);
  const cpu = readCpuMs(worker.process.pid) - before;
  await worker.stop();
  const name = `processor time of a worker in a second with ${WORKS} waiting Works`;
  return [toRow(name, { ours: cpu / (QUIET_MS / 1_000), baseline: 20 }, 1)];
}
