/** Tasks of the page's main thread by their CPU time, which other processes of a busy machine do not change. */
import type { Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Records until the returned function is called, which returns the CPU time of each task in ms. */
export async function recordTasks(page: Page): Promise<() => Promise<number[]>> {
  const browser = page.context().browser();
  if (!browser) throw new Error('a page without a browser');
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', 'toplevel'] });
  return async () => {
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
      traceEvents: TraceEvent[];
    };
    const threads = new Set(
      traceEvents
        .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
        .map(({ pid, tid }) => `${pid} ${tid}`),
    );
    return traceEvents
      .filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid} ${tid}`))
      .map(({ tdur = 0 }) => tdur / 1_000);
  };
}
