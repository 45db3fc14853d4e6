/**
 * The server: latency of an event from the engine to a client, fifty clients at once, and a list of 200 runs. The baseline
 * is plain node:http that writes the same bytes.
 */
import { EventEmitter, once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { get, type IncomingMessage, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createRuntime, importPackage, type OpenRun } from '@crewagent/core';
import { type HttpServer, startHttpServer } from '../packages/core/src/testing/http-server.ts';
import { createApp } from '../packages/server/src/app.ts';
import { createRequestListener } from '../packages/server/src/request-listener.ts';
import { createTokenAccess } from '../packages/server/src/security/access.ts';
import { createServerParts, type ServerParts } from '../packages/server/src/server-parts.ts';
import { createStaticFiles } from '../packages/server/src/static-files.ts';
import { createWorksList } from '../packages/server/src/works/works-list.ts';
import { atMost, compare, inFolder, quantile, type Row, toRow } from './measure.ts';

const PACKAGE = 'examples/hello-branch';
const TOKEN = 'token-of-the-bench';
const EVENTS = 400;
const CLIENTS = 50;
const BURST = 500;
const RUNS = 200;

export function benchServer(): Promise<Row[]> {
  return inFolder(measureServer);
}

async function measureServer(folder: string): Promise<Row[]> {
  const project = join(folder, 'project');
  mkdirSync(project);
  const runtime = createRuntime({ storeRoot: join(folder, 'store') });
  const parts = createServerParts({ runtime, env: {}, onBug: (_, error) => console.error(error) });
  const app = createApp({
    parts,
    access: createTokenAccess(TOKEN),
    hosts: { has: () => true },
    pages: createStaticFiles(),
  });
  const ours = await startHttpServer(createRequestListener(app, parts));
  const plain = createPlainFeed();
  const baseline = await startHttpServer(plain.answer);
  try {
    const { package: installed } = await importPackage(PACKAGE, runtime.store, parts.context);
    const make = (): Promise<OpenRun> =>
      runtime.createWork({ package: installed.hash, projectPath: project, model: { model: 'rehearsal' } });
    const run = await make();
    const { emit: emitOurs, close } = await attachRun(parts, run);
    const path = `/api/v1/works/${run.record.workId}/events`;
    const latency = {
      ours: await measureLatency(ours, path, emitOurs),
      baseline: await measureLatency(baseline, '/', plain.emit),
    };
    const burst = await compare(
      5,
      () => measureBurst(ours, path, emitOurs),
      () => measureBurst(baseline, '/', plain.emit),
    );
    await close();
    for (let count = 1; count < RUNS; count++) await (await make()).close();
    const list = await compare(
      9,
      () => read(ours, `/api/v1/works?limit=${RUNS}`),
      () => listFromScratch(parts),
    );
    return [
      atMost(
        `event from engine to client, p95 (node:http: ${latency.baseline.toFixed(2)} ms)`,
        latency.ours,
        10,
      ),
      toRow(`${BURST} events to each of ${CLIENTS} clients / node:http`, burst, 4),
      atMost(`list of ${RUNS} runs over HTTP`, list.ours, 100),
      atMost('the same, the first time after a start', list.baseline, 100),
    ];
  } finally {
    await parts.close();
    await Promise.all([ours.close(), baseline.close()]);
  }
}

async function listFromScratch({ runtime, onBug }: ServerParts): Promise<void> {
  const worksList = createWorksList({ runtime, redact: (text) => text, isHeld: () => false, onBug });
  const { works } = await worksList.list({ limit: RUNS });
  if (works.length !== RUNS) throw new Error(`there are ${works.length} runs`);
}

type Emit = (count: number) => void;

/** Publishes the events of an open run, and emits them as its engine does. */
async function attachRun(
  { hub }: ServerParts,
  { engine, record, ...run }: OpenRun,
): Promise<{ emit: Emit; close: () => Promise<void> }> {
  const detach = await hub.attach(record.workId, (listener) => engine.subscribe(listener));
  return {
    emit: (count) => engine.emit({ type: 'warning', message: `${MARK}${count}.${'x'.repeat(300)}` }),
    async close() {
      await run.close();
      await detach();
    },
  };
}

const MARK = 'number ';

function createPlainFeed(): { readonly answer: RequestListener; readonly emit: Emit } {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    answer(_, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(':\n\n');
      const send = (text: string): void => void response.write(text);
      emitter.on('event', send);
      response.on('close', () => emitter.off('event', send));
    },
    emit: (count) => emitter.emit('event', `data: {"message":"${MARK}${count}.${'x'.repeat(300)}"}\n\n`),
  };
}

async function open({ port }: HttpServer, path: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const request = get({ host: '127.0.0.1', port, path, headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response.setEncoding('utf8');
}

async function read(server: HttpServer, path: string): Promise<void> {
  const response = await open(server, path);
  let bytes = 0;
  for await (const piece of response) bytes += (piece as string).length;
  if (response.statusCode !== 200 || bytes === 0) throw new Error(`${path} answered ${response.statusCode}`);
}

/** One event at a time, with pauses, as in a run. */
async function measureLatency(server: HttpServer, path: string, emit: Emit): Promise<number> {
  const response = await open(server, path);
  await once(response, 'data');
  const times: number[] = [];
  let expected = '';
  let arrived: () => void = () => undefined;
  response.on('data', (text: string) => {
    if (expected !== '' && text.includes(expected)) arrived();
  });
  for (let count = 0; count < EVENTS; count++) {
    expected = `${MARK}${count}.`;
    const done = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const start = performance.now();
    emit(count);
    await done;
    times.push(performance.now() - start);
    await wait(1);
  }
  response.destroy();
  return quantile(times, 0.95);
}

async function measureBurst(server: HttpServer, path: string, emit: Emit): Promise<void> {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => open(server, path)));
  const last = `${MARK}${BURST - 1}.`;
  const done = clients.map(
    (client) =>
      new Promise<void>((resolve) => {
        let isFirst = true;
        client.on('data', (text: string) => {
          // Events from before the burst are in the first chunk.
          if (!isFirst && text.includes(last)) resolve();
          isFirst = false;
        });
      }),
  );
  await wait(20);
  for (let count = 0; count < BURST; count++) emit(count);
  await Promise.all(done);
  for (const client of clients) client.destroy();
}
