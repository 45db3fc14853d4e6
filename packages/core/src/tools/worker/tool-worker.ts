/**
 * The thread of the tools, for work whose cost the model chooses: searching without ripgrep, patching and comparing
 * large files. Shared by all runs of the process and started by the first of them that needs it.
 */
import { createWorkerRoom } from '../../base/worker/worker-room.ts';
import type { ToolJobs } from './jobs.ts';

const room = createWorkerRoom(async () => (await import('./jobs.ts?thread')).default);

export function runJob<Name extends keyof ToolJobs, Value>(
  name: Name,
  args: ToolJobs[Name],
  signal: AbortSignal,
): Promise<Value> {
  return room.run<Value>(name, args, signal);
}

export function streamJob<Name extends keyof ToolJobs, Value>(
  name: Name,
  args: ToolJobs[Name],
  signal: AbortSignal,
): AsyncGenerator<Value, undefined> {
  return room.stream<Value>(name, args, signal);
}
