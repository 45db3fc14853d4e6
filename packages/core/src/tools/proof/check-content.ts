/** Judges the content of a file, large ones in a thread: a check never holds up the process, and a stop ends it. */
import type { ProducedFile } from '@crewagent/protocol/proof';
import { createWorkerRoom } from '../../base/worker/worker-room.ts';
import { type ContentJob, type ContentResult, judgeContent, toChecks } from './judge-content.ts';

const room = createWorkerRoom(async () => (await import('./content-jobs.ts?thread')).default);

/** Smaller files are judged at once. Parsing costs more than reading text. */
const MAX_TEXT_BYTES = 262_144;
const MAX_PARSED_BYTES = 32_768;

export async function checkContent(
  path: string,
  bytes: Buffer,
  wanted: ProducedFile,
  signal: AbortSignal,
): Promise<ContentResult[]> {
  const checks = toChecks(path, wanted);
  if (checks.length === 0) return [];
  if (bytes.length <= (wanted.schema ? MAX_PARSED_BYTES : MAX_TEXT_BYTES))
    return judgeContent(path, bytes, wanted);
  try {
    const job: ContentJob = { path, bytes, wanted };
    return await room.run<ContentResult[]>('judge', job, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return checks.map(([kind]) => ({ kind, issue: 'was not checked, because the run was stopped' }));
  }
}
