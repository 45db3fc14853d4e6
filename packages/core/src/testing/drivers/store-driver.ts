/**
 * A process that changes a store until it is done or killed: `driver.js JOB ARGUMENT…`.
 */
import { CrewError } from '../../base/crew-error.ts';
import { takeWorkLock } from '../../store/disk/locks/work-lock.ts';
import { openRunLog } from '../../store/disk/log/run-log.ts';
import { openDiskStore } from '../../store/disk/open-store.ts';
import { createWork } from '../../store/disk/work-folders.ts';
import type { RunLog } from '../../store/work-store.ts';
import { SAMPLE_RUN, sampleDraft } from '../sample-record.ts';

const now = (): Date => new Date();
const say = (line: string): unknown => process.stdout.write(`${line}\n`);
const [job = '', path = '', ...args] = process.argv.slice(2);

const JOBS: Readonly<Record<string, () => Promise<void>>> = {
  async 'append forever'() {
    const log = await openRunLog({ file: path, runId: 'run', now });
    for (;;) {
      say(String(append(log, 300)));
      // Flushes standard output.
      await new Promise(setImmediate);
    }
  },

  /** Appends until the disk is full, and then a shorter event. */
  async 'append too much'() {
    const log = await openRunLog({ file: path, runId: 'run', now });
    const refused = await codeOf(async () => {
      for (;;) append(log, 5_000);
    });
    append(log, 10);
    say(JSON.stringify({ ...refused, lastSeq: log.lastSeq }));
    await log.close();
  },

  async 'hold lock'() {
    await takeWorkLock(openDiskStore(path), SAMPLE_RUN, { isClaimsOnly: args[0] === 'claims' });
    say('held');
    setInterval(() => undefined, 60_000);
  },

  /** Acquires and releases a lock 20 times, and appends two events each time. */
  async 'share lock'() {
    const store = openDiskStore(path);
    const options = { isClaimsOnly: args[0] === 'claims' };
    for (let acquired = 0; acquired < 20; ) {
      const lock = await takeWorkLock(store, SAMPLE_RUN, options).catch((error: unknown) => {
        if (error instanceof CrewError && error.code === 'RUN_LOCKED') return undefined;
        throw error;
      });
      if (!lock) continue;
      const log = await openRunLog({
        file: `${store.work(SAMPLE_RUN).lock}.log`,
        runId: String(process.pid),
        now,
      });
      append(log, 10);
      append(log, 10);
      await log.close();
      await lock.release();
      acquired++;
    }
  },

  async 'create runs forever'() {
    const store = openDiskStore(path);
    for (;;) {
      const draft = sampleDraft({ firstFacts: [{ type: 'run.resumed' }] });
      say((await createWork(store, draft, { now })).workId);
    }
  },

  async 'open projects'() {
    const store = openDiskStore(path);
    for (const folder of args) say((await store.projects.open(folder, { now })).projectId);
  },

  async 'change settings'() {
    const store = openDiskStore(path);
    for (const model of args) {
      const refused = await codeOf(() => store.settings.update({ models: { new: { model } } }));
      say(JSON.stringify(refused));
    }
  },

  async 'create run'() {
    say(JSON.stringify(await codeOf(() => createWork(openDiskStore(path), sampleDraft(), { now }))));
  },
};

function append(log: RunLog, size: number): number {
  return log.append({ type: 'warning', message: 'x'.repeat(size) }).seq;
}

async function codeOf(attempt: () => Promise<unknown>): Promise<{ code: string; message?: string }> {
  try {
    await attempt();
    return { code: 'ok' };
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    return { code: error.code, message: error.message };
  }
}

await JOBS[job]?.();
