import { describe, expect, it } from 'vitest';
import { createWorkerRoom } from './worker-room.ts';

/** Jobs as the thread of the tools has them, without a bundler. */
const SOURCE = `
  const { parentPort, threadId } = require('node:worker_threads');
  const jobs = {
    *count({ to }) { for (let n = 1; n <= to; n++) yield n; },
    *thread() { yield threadId; },
    *environment() { yield Object.keys(process.env); },
    *forever() { for (;;); },
    *fail() { throw new Error('a bug'); },
    *exit() { process.exit(1); },
    *nothing() {},
  };
  let current;
  parentPort.on('message', (message) => {
    try {
      if (message.kind === 'start') current = jobs[message.job](message.args);
      const { done, value } = message.kind === 'end' ? current.return() : current.next();
      parentPort.postMessage({ isDone: done, value });
    } catch (error) {
      parentPort.postMessage({ error: error.message });
    }
  });
`;
const never = new AbortController().signal;

describe('a worker room', () => {
  it('[T46] runs jobs in one thread that is reused, also after an early end and an error', async () => {
    const room = createWorkerRoom(() => Promise.resolve(SOURCE));
    const id = await room.run('thread', {}, never);
    const seen: number[] = [];
    for await (const value of room.stream<number>('count', { to: 9 }, never))
      if (seen.push(value) === 3) break;
    expect(seen).toEqual([1, 2, 3]);
    await expect(room.run('fail', {}, never)).rejects.toThrow('a bug');
    await expect(room.run('nothing', {}, never)).rejects.toThrow('no value');
    expect(await room.run('thread', {}, never)).toBe(id);
    expect(await room.run('environment', {}, never)).toEqual([]);
  });

  it('[T46] ends a job that never ends while this process keeps working, and starts anew', async () => {
    const room = createWorkerRoom(() => Promise.resolve(SOURCE));
    const stopper = new AbortController();
    let ticks = 0;
    const ticking = setInterval(() => ++ticks === 5 && stopper.abort(), 1);
    const others = room.run('forever', {}, stopper.signal).catch((error: unknown) => (error as Error).name);
    // Another job does not wait for it.
    expect(await room.run('count', { to: 1 }, never)).toBe(1);
    expect(await others).toBe('AbortError');
    clearInterval(ticking);
    await expect(room.run('count', { to: 1 }, stopper.signal)).rejects.toThrow();
    expect(await room.run('count', { to: 1 }, never)).toBe(1);
  });

  it('[T46] ends a job that is stopped between two of its values', async () => {
    const room = createWorkerRoom(() => Promise.resolve(SOURCE));
    const stopper = new AbortController();
    const values = room.stream<number>('count', { to: 9 }, stopper.signal);
    expect(await values.next()).toMatchObject({ value: 1 });
    stopper.abort();
    // Takes another thread: the first one has ended by then.
    await room.run('count', { to: 1 }, never);
    await expect(values.next()).rejects.toThrow('aborted');
  });

  it('[T46] reports a thread that died, and starts another', async () => {
    const room = createWorkerRoom(() => Promise.resolve(SOURCE));
    await expect(room.run('exit', {}, never)).rejects.toThrow('the thread ended');
    expect(await room.run('count', { to: 1 }, never)).toBe(1);
  });
});
