/**
 * Memory of a server over many runs: the heaps of its threads after a collection of garbage, without a page and with one that follows the
 * list and opens each run. What stays of a run that nobody looks at any more would stay for as long as the server runs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createApiClient } from '@crewagent/protocol/api/client';
import { mapLimit } from '../packages/core/src/base/map-limit.ts';
import { startHttpServer } from '../packages/core/src/testing/http-server.ts';
import { atMost, inFolder, type Row } from './measure.ts';
import { toText } from './mock-provider.ts';

const CLI = 'apps/cli/dist/crewagent.js';
const PROBE = resolve('bench/heap-probe.mjs');
const PACKAGE = 'examples/hello-branch';
const RUNS = 300;
/** The first fills caches and does not count. */
const ROUNDS = 5;
/** Longer than an idle Work stays open. */
const RELEASED_MS = 4_000;
/** The list of Works has 0.3 kB for each run. */
const MAX_GROWTH_MB = 0.6;

export async function benchSoak(): Promise<Row[]> {
  const provider = await startHttpServer((asked, response) => {
    asked.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(toText({ text: 'All done?' }));
    });
  });
  const rows: Row[] = [];
  for (const hasPage of [false, true])
    rows.push(
      await inFolder(async (folder) => {
        const server = await startServer(folder, `${provider.url}/v1`);
        try {
          const page = hasPage ? await openPage(server) : undefined;
          const heaps: number[] = [];
          for (let round = 0; round < ROUNDS; round++) {
            await server.createRuns(RUNS, hasPage);
            await wait(RELEASED_MS);
            heaps.push((await server.measure()) / 1e6);
          }
          page?.destroy();
          console.error(
            `heaps after ${RUNS} runs each: ${heaps.map((heap) => heap.toFixed(1)).join(', ')} MB`,
          );
          const name = `growth of the heap by ${RUNS} runs, ${hasPage ? 'with a page' : 'without a page'}`;
          return atMost(name, slopeOf(heaps.slice(1)), MAX_GROWTH_MB, 'MB');
        } finally {
          await server.close();
        }
      }),
    );
  await provider.close();
  return rows;
}

type Server = Awaited<ReturnType<typeof startServer>>;

async function startServer(folder: string, modelUrl: string) {
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  mkdirSync(project);
  writeFileSync(join(project, 'README.md'), '# Project\n');
  const child: ChildProcess = spawn(
    process.execPath,
    ['--expose-gc', '--import', PROBE, CLI, 'serve', '--no-open', '--port', '0'],
    { env: { ...process.env, CREWAGENT_HOME: home }, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  );
  let printed = '';
  child.stdout?.on('data', (piece: Buffer) => {
    printed += piece.toString();
  });
  while (!printed.includes('#token=')) await wait(20);
  const [, url = '', token = ''] = /(http:\S+)\/#token=(\S+)/.exec(printed) ?? [];
  const client = createApiClient({ baseUrl: url, token });
  const { projectId } = await client.projects.open({ body: { path: project } });
  const { package: installed } = await client.packages.importPath({ body: { path: PACKAGE } });
  const settings = { provider: 'generic', baseUrl: modelUrl, model: 'm' } as const;
  await client.models.put({ name: 'bench', body: { settings } });
  const body = {
    projectId,
    packageHash: installed.hash,
    kind: 'run',
    model: 'bench',
    isHeldBack: false,
  } as const;
  return {
    url,
    token,
    /** `isShown`: a page opens each of them for a moment. */
    createRuns: (count: number, isShown: boolean) =>
      mapLimit(Array.from({ length: count }), 20, async () => {
        const { workId } = await client.works.create({ body });
        if (!isShown) return;
        await client.works.show({ workId });
        for await (const message of client.works.events({ workId })) if (message.type === 'snapshot') break;
      }),
    /** Bytes of all heaps. */
    async measure(): Promise<number> {
      child.send('measure');
      const [heaps] = (await once(child, 'message')) as [number[]];
      return heaps.reduce((sum, heap) => sum + heap, 0);
    },
    async close() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Of the line through the values with the least squares: one collection of garbage more or less does not count. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const weights = values.map((_, index) => index - middle);
  const sum = values.reduce((total, value, index) => total + value * (weights[index] ?? 0), 0);
  return sum / weights.reduce((total, weight) => total + weight * weight, 0);
}

/** Reads the list of Works, as every page does. */
async function openPage({ url, token }: Server): Promise<IncomingMessage> {
  const request = get(`${url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the server answered ${response.statusCode}`);
  return response.resume().on('error', () => undefined);
}
