/** Follows a log while any process may write to it: reports the events added since the last read, each once. */
import type { RunEvent } from '@crewagent/protocol/events';
import { withDiskErrors } from '../../../base/errno.ts';
import type { LogTail } from '../../work-log.ts';
import { type ChainReader, createChainReader } from './log-chain.ts';
import { openIfPresent, readLines } from './read-lines.ts';
import type { LogParts } from './run-log.ts';
import { fromLogLine } from './spilled-outputs.ts';

/** A missing log is empty. */
export function createLogTail(file: string, { outputs }: LogParts = {}): LogTail {
  let end = 0;
  let lastSeq = 0;
  let report: (event: RunEvent) => void = () => undefined;
  const startChain = (): ChainReader =>
    createChainReader((event) => {
      if (event.seq <= lastSeq) return;
      lastSeq = event.seq;
      report(fromLogLine(event, outputs));
    });
  let chain = startChain();

  return {
    async read(onEvent) {
      report = onEvent;
      await withDiskErrors('Could not read the log of the run', async () => {
        const handle = await openIfPresent(file);
        if (!handle) return;
        try {
          // A shorter file was truncated at an incomplete line, or replaced.
          if ((await handle.stat()).size < end) {
            end = 0;
            chain = startChain();
          }
          const onLine = (line: string, lineEnd: number): void => {
            chain.read(line);
            end = lineEnd;
          };
          await readLines(handle, onLine, { from: end });
        } finally {
          await handle.close();
        }
      });
    },
  };
}
