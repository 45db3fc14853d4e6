/**
 * Many runs at once: starts of the command line, new runs in one server, turns of a hundred runs, and how soon the server
 * answers a page meanwhile.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startHttpServer } from '../packages/core/src/testing/http-server.ts';
import { atMost, inFolder, quantile, type Row } from './measure.ts';
import { toText } from './mock-provider.ts';

export const CLI = 'apps/cli/dist/crewagent.js';
export const PACKAGE = 'examples/hello-branch';
const STARTS = 200;
const NEW_RUNS = 500;
const RUNS = 100;
const TURNS = 20;

export async function benchLoad(): Promise<Row[]> {
  const provider = await startReader();
  return inFolder(async (folder) => {
    const bench = await prepare(folder, provider.url);
    const starts = await startAtOnce(bench);
    const server = await startServer(bench);
    try {
      Object.assign(provider, { turns: 0, requests: 0 });
      const before = server.cpuMs();
      const created = await createRuns(server, NEW_RUNS);
      await provider.answered(NEW_RUNS);
      const perRun = (server.cpuMs() - before) / NEW_RUNS;
      Object.assign(provider, { turns: TURNS, requests: 0 });
      const startedAt = performance.now();
      const lag = measureLag(server);
      const cpuBefore = server.cpuMs();
      const failed = (await createRuns(server, RUNS)).failed;
      await provider.answered(RUNS * (TURNS + 1));
      const seconds = (provider.lastAt - startedAt) / 1_000;
      const lags = await lag.stop();
      const perTurn = (server.cpuMs() - cpuBefore - RUNS * perRun) / (RUNS * TURNS);
      return [
        atMost(`of ${STARTS} starts of the command line at once, failed`, starts.failed, 0.5, ''),
        atMost(`of ${NEW_RUNS} new runs at once in one server, failed`, created.failed + failed, 0.5, ''),
        perSecond('new runs per second in one server', NEW_RUNS / created.seconds, 150),
        perSecond(`turns per second of ${RUNS} runs in one server`, provider.requests / seconds, 450),
        atMost('processor time of a new run with its first turn', perRun, 13),
        atMost('processor time of a turn', perTurn, 4),
        atMost(`answer to a page meanwhile, p99`, quantile(lags, 0.99), 15),
      ];
    } finally {
      await server.close();
    }
  }, provider.close);
}

/** The ratio is at most 1 if there are at least `goal` per second. */
export function perSecond(name: string, rate: number, goal: number): Row {
  return { name, ours: rate.toFixed(0), baseline: String(goal), ratio: goal / rate, limit: 1 };
}

/** A model that reads a file in each of `turns` turns, then asks; each reply takes `thinksMs`. It keeps nothing about runs. */
export async function startReader() {
  const reader = { turns: 0, requests: 0, lastAt: 0, open: 0, thinksMs: 0 };
  const server = await startHttpServer((asked, response) => {
    reader.open++;
    const pieces: Buffer[] = [];
    asked.on('data', (piece: Buffer) => pieces.push(piece));
    const answer = (): void => {
      const turn = Buffer.concat(pieces).toString().split('"role":"tool"').length;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(
        toText(
          turn > reader.turns
            ? { text: 'All done?' }
            : {
                toolCalls: [
                  {
                    id: `call_${turn}`,
                    name: 'fs_read',
                    arguments: { path: `@project/file-${turn % 10}.txt` },
                  },
                ],
              },
        ),
      );
      reader.lastAt = performance.now();
      reader.open--;
    };
    asked.on('end', () => {
      reader.requests++;
      if (reader.thinksMs > 0) setTimeout(answer, reader.thinksMs);
      else answer();
    });
  });
  return Object.assign(reader, {
    url: `${server.url}/v1`,
    close: server.close,
    /** Resolves when this many requests were answered, or none came for half a minute, and the runs had a second to settle. */
    async answered(count: number): Promise<void> {
      const isQuiet = (ms: number): boolean => reader.open === 0 && performance.now() - reader.lastAt > ms;
      while (!isQuiet(reader.requests < count ? 30_000 : 1_000)) await wait(50);
    },
  });
}

type Bench = Awaited<ReturnType<typeof prepare>>;

export async function prepare(folder: string, url: string) {
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  mkdirSync(project);
  for (let index = 0; index < 10; index++)
    writeFileSync(join(project, `file-${index}.txt`), `Line of file ${index}.\n`.repeat(50));
  const env = { PATH: process.env.PATH, CREWAGENT_HOME: home };
  const start = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'ignore'], env });
  const finish = async (...args: string[]): Promise<number> => {
    const child = start(...args);
    child.stdout?.resume();
    return ((await once(child, 'exit')) as [number])[0];
  };
  await finish('packages', 'add', PACKAGE);
  await finish('config', 'add-model', 'bench', '--base-url', url, '--model', 'm');
  return { project, home, url, start, finish };
}

async function startAtOnce({ project, url, finish }: Bench): Promise<{ failed: number }> {
  const flags = ['--base-url', url, '--model', 'm', '--project', project, '--json'];
  const codes = await Promise.all(
    Array.from({ length: STARTS }, () => finish('run', 'hello-branch', ...flags)),
  );
  // 3: the model asked something.
  const expected = codes.filter((code) => code === 3 || code === 0);
  if (expected.length < codes.length) console.error(`exit codes: ${[...new Set(codes)].join(', ')}`);
  return { failed: codes.length - expected.length };
}

interface Server {
  /** What a request needs. */
  address(path: string): { readonly port: number; readonly path: string };
  call(method: string, path: string, body?: object): Promise<{ status: number; json: unknown }>;
  readonly projectId: string;
  readonly hash: string;
  /** Processor time of the server so far; NaN where the system does not tell. */
  cpuMs(): number;
  close(): Promise<void>;
}

export async function startServer({ start, project, home }: Bench): Promise<Server> {
  const tokenFile = join(home, 'bench-token');
  const child = start('serve', '--no-open', '--token-file', tokenFile);
  const port = await new Promise<number>((resolve) => {
    let text = '';
    child.stdout?.on('data', (piece: Buffer) => {
      text += piece.toString();
      const found = /http:\/\/[^:]+:(\d+)/.exec(text)?.[1];
      if (found) resolve(Number(found));
    });
  });
  const token = readFileSync(tokenFile, 'utf8').trim();
  const agent = new Agent({ keepAlive: true, maxSockets: 600 });
  const address = (path: string) => ({
    ...{ host: '127.0.0.1', port, path: `/api/v1${path}` },
    headers: {
      authorization: `Bearer ${token}`,
      origin: `http://127.0.0.1:${port}`,
      'content-type': 'application/json',
    },
  });
  const call: Server['call'] = (method, path, body) =>
    new Promise((resolve, reject) => {
      const asked = request({ ...address(path), agent, method }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString();
          resolve({ status: response.statusCode ?? 0, json: text === '' ? undefined : JSON.parse(text) });
        });
      });
      asked.on('error', reject);
      asked.end(body && JSON.stringify(body));
    });
  const opened = (await call('POST', '/projects', { path: project })).json as { projectId: string };
  const { packages } = (await call('GET', '/packages')).json as { packages: { hash: string }[] };
  return {
    call,
    address,
    projectId: opened.projectId,
    hash: packages[0]?.hash ?? '',
    cpuMs: () => readCpuMs(child.pid),
    async close() {
      agent.destroy();
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

export function readCpuMs(pid: number | undefined): number {
  if (process.platform !== 'linux') return Number.NaN;
  const [own] = readTimes(pid);
  return own;
}

/** Of the process, its children, and those of them that have ended. */
export function readTreeCpuMs(pid: number | undefined): number {
  if (process.platform !== 'linux') return Number.NaN;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const [own, ended] = readTimes(pid);
  return children.reduce((sum, child) => sum + readTimes(Number(child))[0], own + ended);
}

/** In hundredths of a second: of the program, and of the system for it; then the same of children that have ended. */
function readTimes(pid: number | undefined): [own: number, ended: number] {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return [(user + system) * 10, (endedUser + endedSystem) * 10];
}

export async function createRuns(
  server: Server,
  count: number,
): Promise<{ failed: number; seconds: number }> {
  const { projectId, hash } = server;
  const startedAt = performance.now();
  const answers = await Promise.all(
    Array.from({ length: count }, () =>
      server.call('POST', '/works', { projectId, kind: 'run', packageHash: hash, model: 'bench' }),
    ),
  );
  const failures = answers.filter(({ status }) => status !== 201);
  if (failures.length > 0) console.error(failures[0]?.status, JSON.stringify(failures[0]?.json));
  return { failed: failures.length, seconds: (performance.now() - startedAt) / 1_000 };
}

/** In a thread of its own; see `page-probe.mjs`. */
function measureLag({ address }: Server): { stop(): Promise<number[]> } {
  const probe = new Worker(resolve('bench/page-probe.mjs'), { workerData: address('/system') });
  return {
    async stop() {
      probe.postMessage('stop');
      const [times] = (await once(probe, 'message')) as [number[]];
      return times;
    },
  };
}
