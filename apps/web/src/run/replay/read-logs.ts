/** Reads the log of a Work and those of its runs, page by page. */
import type { RunEvent } from '@crewagent/protocol/events';
import type { WorkApi } from '../../api/work-api.ts';
import { logBehind } from './merge-logs.ts';

export interface ReadLogsOptions {
  readonly api: Pick<WorkApi, 'log'>;
  readonly workId: string;
  readonly signal: AbortSignal;
  readonly onProgress: (events: number) => void;
}

/** The Work's own log is the first. */
export async function readLogs(options: ReadLogsOptions): Promise<readonly (readonly RunEvent[])[]> {
  const { api, workId, signal, onProgress } = options;
  const logs = new Map<string, RunEvent[]>();
  let total = 0;
  const read = async (runId: string): Promise<void> => {
    const log: RunEvent[] = [];
    logs.set(runId, log);
    while (true) {
      signal.throwIfAborted();
      const { events, lastSeq } = await api.log(runId, log.at(-1)?.seq ?? 0);
      log.push(...events);
      total += events.length;
      onProgress(total);
      const behind = new Set(events.flatMap((event) => logBehind(event) ?? []));
      // A run may have been deleted: its caller is replayed without it.
      for (const other of behind)
        if (!logs.has(other)) await read(other).catch(() => signal.throwIfAborted());
      if (events.length === 0 || (log.at(-1)?.seq ?? 0) >= lastSeq) return;
    }
  };
  await read(workId);
  return [...logs.values()];
}
