/**
 * The side of a worker thread: runs one job after the other, and computes a value only when it is asked for.
 */
import { parentPort } from 'node:worker_threads';

export type JobMessage =
  | { readonly kind: 'start'; readonly job: string; readonly args: unknown }
  | { readonly kind: 'next' | 'end' };

export type JobReply = { readonly isDone: boolean; readonly value: unknown } | { readonly error: string };

/** A job yields its values, or promises of them; `args` and values are copied between threads. */
export type Job = (args: never) => Iterator<unknown, unknown>;

export function serveJobs(jobs: Readonly<Record<string, Job>>): void {
  let current: Iterator<unknown, unknown> | undefined;
  const serve = async (message: JobMessage): Promise<JobReply> => {
    if (message.kind === 'start') current = jobs[message.job]?.(message.args as never);
    const { done = true, value } = (message.kind === 'end' ? current?.return?.() : current?.next()) ?? {
      value: undefined,
    };
    return { isDone: done, value: await value };
  };
  const toError = (error: unknown): JobReply => ({
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  parentPort?.on('message', (message: JobMessage) => {
    void serve(message)
      .catch(toError)
      .then((reply) => parentPort?.postMessage(reply));
  });
}
