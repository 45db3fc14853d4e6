/**
 * The threads of the built-in searcher. Starting one costs as much as searching some thousand files, so one that is done
 * waits a while for the next search; it holds up nobody's exit. One that is told to stop is ended, whatever it does.
 */
import { EventEmitter, on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { IGNORE_GLOB_SOURCE, isIgnoredBy, parseRules } from './ignore-globs.ts';
import {
  SEARCH_WORKER_SOURCE,
  startSearchWorker,
  type WorkerReport,
  type WorkerTask,
} from './search-worker.ts';

const IDLE_MS = 10_000;

export interface SearchWorkers {
  /** All that the workers report, until each has done its task. Nothing of it runs on after the generator's end. */
  run(tasks: readonly WorkerTask[], signal: AbortSignal): AsyncGenerator<WorkerReport>;
}

export function createSearchWorkers(): SearchWorkers {
  const idle = new Map<Worker, NodeJS.Timeout>();

  const take = (): Worker => {
    for (const [worker, timer] of idle) {
      clearTimeout(timer);
      idle.delete(worker);
      worker.removeAllListeners('exit');
      worker.ref();
      return worker;
    }
    return startWorker();
  };

  const keep = (worker: Worker): void => {
    const end = (): void => {
      idle.delete(worker);
      void worker.terminate();
    };
    worker.removeAllListeners('message').removeAllListeners('error').removeAllListeners('exit');
    worker.on('error', end);
    worker.unref();
    idle.set(worker, setTimeout(end, IDLE_MS).unref());
  };

  return {
    async *run(tasks, signal) {
      if (signal.aborted) return;
      const hub = new EventEmitter();
      const reports = on(hub, 'report', { close: ['end'] });
      const busy = new Set<Worker>();
      let isStopping = false;
      const stop = async (): Promise<void> => {
        isStopping = true;
        await Promise.all([...busy].map((worker) => worker.terminate()));
      };
      const stopNow = (): void => void stop();
      for (const task of tasks) {
        const worker = take();
        busy.add(worker);
        const leave = (): void => {
          busy.delete(worker);
          if (busy.size === 0) hub.emit('end');
        };
        worker.on('message', (report: WorkerReport) => {
          // One that is being ended is not kept, even if it is done by now: who ends it waits for its exit.
          if (isStopping) return;
          hub.emit('report', report);
          if (report.kind === 'lines') return;
          keep(worker);
          leave();
        });
        worker.on('error', (error) => hub.emit('error', error));
        worker.on('exit', leave);
        worker.postMessage(task);
      }
      signal.addEventListener('abort', stopNow);
      try {
        for await (const [report] of reports) yield report as WorkerReport;
      } finally {
        signal.removeEventListener('abort', stopNow);
        await stop();
      }
    },
  };
}

function startWorker(): Worker {
  // Functions are called by the names they have, because a bundler may have given them other ones.
  const start = `${startSearchWorker.name}({ parseRules: ${parseRules.name}, isIgnoredBy: ${isIgnoredBy.name} })`;
  return new Worker(`${IGNORE_GLOB_SOURCE}\n${SEARCH_WORKER_SOURCE}\n${start};`, {
    eval: true,
    env: {},
    // Loaders and flags of whoever runs us are not for this thread.
    execArgv: [],
  });
}
