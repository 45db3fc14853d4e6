/**
 * CPU time of an idle server with one watching page: what 1,200 records in the store add to 10. Not their ratio: both are less than a
 * thousandth of a core.
 * Linux only: uses the kernel's per-thread CPU time in nanoseconds.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createStoreLayout } from '@crewagent/core';
import { createUuidV7 } from '../packages/core/src/base/uuid-v7.ts';
import { createWork } from '../packages/core/src/store/disk/work-folders.ts';
import { sampleConversation } from '../packages/core/src/testing/sample-conversation.ts';
import { sampleDraft } from '../packages/core/src/testing/sample-record.ts';
import { atMost, inFolder, type Row } from './measure.ts';

const CLI = 'apps/cli/dist/crewagent.js';
const [FEW, MANY] = [10, 1_200];
/** Until V8 has given back what starting has taken. */
const SETTLE_MS = 40_000;
const MEASURED_MS = 60_000;

export async function benchIdle(): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const servers: ChildProcess[] = [];
  return inFolder(
    async (folder) => {
      for (const records of [MANY, FEW]) {
        const store = join(folder, String(records));
        await fillStore(store, records);
        servers.push(await startWatched(store));
      }
      await wait(SETTLE_MS);
      const before = servers.map(cpuMsOf);
      await wait(MEASURED_MS);
      const [many = 0, few = 0] = servers.map(
        (server, at) => ((cpuMsOf(server) - (before[at] ?? 0)) / MEASURED_MS) * 1_000,
      );
      return [
        atMost(`a second of an idle server with ${FEW} records`, few, 1),
        atMost(`what ${MANY - FEW} more records add to it`, many - few, 1),
      ];
    },
    () => Promise.all(servers.map(end)),
  );
}

/** Half of them runs, half conversations. */
async function fillStore(root: string, records: number): Promise<void> {
  const store = createStoreLayout(root);
  const now = (): Date => new Date();
  const newId = createUuidV7(now);
  for (let count = 0; count < records / 2; count++) {
    await createWork(store, sampleDraft(), { now, newId });
    await createWork(store, sampleConversation(), { now, newId });
  }
}

/** A server with one reader of its list stream, like an open page. */
async function startWatched(storeRoot: string): Promise<ChildProcess> {
  const server = spawn(process.execPath, [CLI, 'serve', '--no-open'], {
    env: { ...process.env, CREWAGENT_HOME: storeRoot },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  while (!printed.includes('#token=')) printed += String(await once(server.stdout, 'data'));
  const [, url = '', token = ''] = /(http:\S+)\/#token=(\S+)/.exec(printed) ?? [];
  const request = get(`${url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the server answered ${response.statusCode}`);
  response.resume().on('error', () => undefined);
  return server;
}

async function end(server: ChildProcess): Promise<void> {
  const closed = once(server, 'close');
  if (server.kill('SIGKILL')) await closed;
}

function cpuMsOf({ pid }: ChildProcess): number {
  const threads = `/proc/${pid}/task`;
  return readdirSync(threads)
    .map((thread) => Number(readFileSync(join(threads, thread, 'schedstat'), 'utf8').split(' ')[0]))
    .reduce((sum, ns) => sum + ns / 1e6, 0);
}
