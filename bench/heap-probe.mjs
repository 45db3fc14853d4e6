/**
 * Loaded into a server (`--import`) and its threads: reports the heap of each after a collection of garbage, when the parent asks. A thread
 * answers through a channel, because only it can read its own heap.
 */
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

const ANSWER_MS = 2_000;
const channel = new threads.BroadcastChannel('heap-probe');
channel.unref();

function measure() {
  for (let round = 0; round < 3; round++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

if (threads.isMainThread) {
  let count = 0;
  const { Worker } = threads;
  threads.Worker = class extends Worker {
    /** @param {string | URL} file @param {import('node:worker_threads').WorkerOptions} options */
    constructor(file, options) {
      super(file, { ...options, execArgv: ['--import', import.meta.url] });
      count++;
      this.on('exit', () => count--);
    }
  };
  syncBuiltinESMExports();
  process.on('message', () => {
    const heaps = [measure()];
    const done = () => {
      clearTimeout(timer);
      process.send(heaps);
    };
    const timer = setTimeout(done, ANSWER_MS);
    channel.onmessage = ({ data }) => {
      if (typeof data === 'number' && heaps.push(data) > count) done();
    };
    channel.postMessage('measure');
  });
  process.channel?.unref();
} else {
  channel.onmessage = ({ data }) => {
    if (data === 'measure') channel.postMessage(measure());
  };
}
