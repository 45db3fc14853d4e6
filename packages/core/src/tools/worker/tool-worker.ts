/**
 * The thread of the tools, for work whose cost the model chooses: searching without ripgrep, patching and comparing
 * large files. Shared by all runs of the process and started by the first of them that needs it.
 */
import { createWorkerRoom } from '../../base/worker/worker-room.ts';
import type { ToolJobs } from './jobs.ts';

export const toolThread = createWorkerRoom<ToolJobs>(async () => (await import('./jobs.ts?thread')).default);
