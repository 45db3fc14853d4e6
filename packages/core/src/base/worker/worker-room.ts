/**
 * Runs jobs of unknown cost in a thread, which is terminated when the job is aborted: the only way to end synchronous
 * work. An idle thread is reused; a second one is started only while the first is busy.
 */
import type { ResourceLimits, Worker } from 'node:worker_threads';
import type { JobMessage, JobReply } from './serve-jobs.ts';

/** After this, an idle thread ends and frees its memory. */
const IDLE_MS = 60_000;

/** `Jobs`: names of jobs with their arguments. `loadSource`: a script that calls `serveJobs`. A thread that exceeds `limits` ends. */
export function createWorkerRoom<Jobs = Record<string, unknown>>(
  loadSource: () => Promise<string>,
  limits?: ResourceLimits,
) {
  type Name = keyof Jobs & string;
  type Call = { [Job in Name]: [job: Job, args: Jobs[Job], signal: AbortSignal] }[Name];
  let idle: Worker | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  const start = async (): Promise<Worker> => {
    // Loaded lazily: few processes need a thread.
    const [{ Worker: Thread }, source] = await Promise.all([import('node:worker_threads'), loadSource()]);
    // The thread must not inherit loaders, flags and keys of this process.
    const worker = new Thread(source, {
      eval: true,
      env: {},
      execArgv: [],
      ...(limits && { resourceLimits: limits }),
    });
    // An error is reported to the job.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      if (idle === worker) idle = undefined;
    });
    return worker;
  };
  const take = (): Promise<Worker> | Worker => {
    clearTimeout(idleTimer);
    const worker = idle;
    idle = undefined;
    return worker ?? start();
  };
  const giveBack = (worker: Worker): void => {
    worker.unref();
    if (idle) {
      void worker.terminate();
      return;
    }
    idle = worker;
    idleTimer = setTimeout(() => void worker.terminate(), IDLE_MS).unref();
  };

  /** The values of a job, each computed when it is asked for. Throws the reason of an abort. */
  async function* stream<T>(...[job, args, signal]: Call): AsyncGenerator<T, undefined> {
    signal.throwIfAborted();
    const worker = await take();
    worker.ref();
    const stop = (): void => void worker.terminate();
    signal.addEventListener('abort', stop);
    /** Whether the thread is idle, waits with more values, or works and may never end. */
    let state: 'idle' | 'waits' | 'works' = 'idle';
    try {
      signal.throwIfAborted();
      for (let message: JobMessage = { kind: 'start', job, args }; ; message = { kind: 'next' }) {
        state = 'works';
        const reply = await ask(worker, message);
        state = 'error' in reply || reply.isDone ? 'idle' : 'waits';
        if ('error' in reply) throw new Error(`a job failed in its thread: ${reply.error}`);
        if (reply.isDone) return;
        yield reply.value as T;
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
      if (state === 'waits' && !signal.aborted) await ask(worker, { kind: 'end' });
      if (state === 'works' || signal.aborted) stop();
      else giveBack(worker);
    }
  }

  return {
    stream,
    /** The first value of a job. */
    async run<T>(...call: Call): Promise<T> {
      for await (const value of stream<T>(...call)) return value;
      throw new Error(`the job "${call[0]}" has no value`);
    },
  };
}

function ask(worker: Worker, message: JobMessage): Promise<JobReply> {
  return new Promise((resolve, reject) => {
    // It may have been terminated since its last reply, and would never answer.
    if (worker.threadId === ENDED) throw new Error('the thread ended');
    const settle = (done: () => void): void => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      done();
    };
    const onMessage = (reply: JobReply): void => settle(() => resolve(reply));
    const onError = (error: Error): void => settle(() => reject(error));
    const onExit = (): void => settle(() => reject(new Error('the thread ended')));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(message);
  });
}

/** The id of a thread that has exited. */
const ENDED = -1;
