import { type WorkerReport, type WorkerTask } from './search-worker.ts';
export interface SearchWorkers {
  /** All that the workers report, until each has done its task. Nothing of it runs on after the generator's end. */
  run(tasks: readonly WorkerTask[], signal: AbortSignal): AsyncGenerator<WorkerReport>;
}
export declare function createSearchWorkers(): SearchWorkers;
