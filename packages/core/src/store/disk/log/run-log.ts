/**
 * The event log of a run or a conversation: one event per line, append-only, each line chained to the previous one. One
 * process writes it, under the lock; others may read it meanwhile.
 */
import { closeSync, constants, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import { CrewError } from '../../../base/crew-error.ts';
import { appendSync, syncContent, syncFolder } from '../../../base/durable-files.ts';
import { errnoOf, errnoSentence, withDiskErrors } from '../../../base/errno.ts';
import { type ChainReader, createChainReader, sealLine } from '../../log-chain.ts';
import type { LogReading, LogTail, RunLog } from '../../work-store.ts';
import { readLines, withOpened } from './read-lines.ts';
import { fromLogLine, sweepOutputs, toLogLine } from './spilled-outputs.ts';

export interface LogParts {
  /** Folder for contents that are too long for a line; if undefined, all contents are in the lines. */
  readonly outputs?: string | undefined;
}

export interface LogOwner {
  readonly runId: string;
  readonly now: () => Date;
}

export interface RunLogOptions extends LogParts, LogOwner {
  readonly file: string;
  /** Receives the events that are already in the log, while it is opened. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** The text of a new log with these facts. */
export function toLogText(facts: readonly RunFact[], owner: LogOwner): string {
  return formatEvents(facts.map((fact, index) => toEvent(fact, index + 1, owner)));
}

/** The text of a log with these events. Writes contents that are too long for a line. */
export function formatEvents(events: readonly RunEvent[], { outputs }: LogParts = {}): string {
  let lastHash = '';
  const lines = events.map((event) => {
    const line = sealLine(outputs === undefined ? event : toLogLine(event, outputs), lastHash);
    lastHash = line.hash;
    return line.text;
  });
  return lines.join('');
}

/** A fact is an event without number and date. */
function toEvent(fact: RunFact, seq: number, { runId, now }: LogOwner): RunEvent {
  return { v: 1, seq, ts: now().toISOString(), runId, ...fact } as RunEvent;
}

/** For the single writer: truncates an incomplete last line and verifies the chain. */
export async function openRunLog(options: RunLogOptions): Promise<RunLog> {
  const { file, outputs, onEvent = () => undefined } = options;
  return withDiskErrors('Could not open the log of the run', async () => {
    const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      if (outputs !== undefined) await sweepOutputs(outputs);
      const chain = createChainReader((line) => onEvent(fromLogLine(line, outputs)));
      const end = await readToEnd(descriptor, chain);
      if (end === 0) await syncFolder(dirname(file));
      return createRunLog(descriptor, { ...options, chain, end });
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  });
}

/** Truncates the file after its last complete line, and returns that offset. */
async function readToEnd(descriptor: number, chain: ChainReader): Promise<number> {
  let end = 0;
  const bytes = await readLines(descriptor, (line, lineEnd) => {
    if (chain.read(line) !== 'blank') end = lineEnd;
  });
  chain.end();
  if (bytes > end) ftruncateSync(descriptor, end);
  return end;
}

interface LogState extends RunLogOptions {
  readonly chain: ChainReader;
  readonly end: number;
}

function createRunLog(descriptor: number, state: LogState): RunLog {
  const { file, outputs, chain, end: start } = state;
  let { lastSeq, lastHash } = chain;
  let end = start;
  let closing: Promise<void> | undefined;
  /** Syncs in progress; the descriptor must not be closed before they finish. */
  const syncs = new Set<Promise<void>>();

  const syncOpen = async (): Promise<void> => {
    const syncing = syncContent(descriptor);
    syncs.add(syncing);
    await syncing.finally(() => syncs.delete(syncing));
  };

  return {
    get lastSeq() {
      return lastSeq;
    },
    brokenAt: chain.brokenAt,

    append(fact) {
      // The descriptor may have been reused for another file.
      if (closing) throw new Error('the log is closed');
      const event = toEvent(fact, lastSeq + 1, state);
      const line = sealLine(outputs === undefined ? event : toLogLine(event, outputs), lastHash);
      end += writeLine(descriptor, Buffer.from(line.text), end);
      lastSeq = event.seq;
      lastHash = line.hash;
      return event;
    },

    stamp: (fact) => toEvent(fact, lastSeq, state),

    sync: () =>
      withDiskErrors('Could not save the log of the run', () => (closing ? syncClosed(file) : syncOpen())),

    close() {
      closing ??= Promise.allSettled(syncs).then(() => closeSync(descriptor));
      return closing;
    },
  };
}

/** The last events may still have to be synced when a run is closed. No-op if the log was deleted. */
async function syncClosed(file: string): Promise<void> {
  await withOpened(file, syncContent, 'r+');
}

/** Writes a whole line at the end of the log, or nothing. */
function writeLine(fd: number, line: Buffer, end: number): number {
  try {
    appendSync(fd, line, end);
    return line.length;
  } catch (error) {
    const sentence = errnoSentence(error);
    if (sentence === undefined) throw error;
    throw new CrewError('DISK', `Could not write the log of the run: ${sentence}.`, {
      cause: error,
      details: { errno: errnoOf(error) },
    });
  }
}

/**
 * Reports all readable events in order, also while another process writes. Ignores an incomplete last line; a missing log is
 * empty.
 */
export async function readRunLog(
  file: string,
  onEvent: (event: RunEvent) => void,
  { outputs }: LogParts = {},
): Promise<LogReading> {
  const chain = createChainReader((line) => onEvent(fromLogLine(line, outputs)));
  await withDiskErrors('Could not read the log of the run', () =>
    withOpened(file, async (descriptor) => {
      await readLines(descriptor, (line) => chain.read(line));
      chain.end();
    }),
  );
  const { lastSeq, brokenAt } = chain;
  return brokenAt === undefined ? { lastSeq, isIntact: true } : { lastSeq, isIntact: false, brokenAt };
}

/**
 * Follows a log while any process may write to it: reports the events added since the last read, each once. A missing log is
 * empty.
 */
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
      await withDiskErrors('Could not read the log of the run', () =>
        withOpened(file, async (descriptor) => {
          // A shorter file was truncated at an incomplete line, or replaced.
          if (fstatSync(descriptor).size < end) {
            end = 0;
            chain = startChain();
          }
          const onLine = (line: string, lineEnd: number): void => {
            chain.read(line);
            end = lineEnd;
          };
          await readLines(descriptor, onLine, { from: end });
        }),
      );
    },
  };
}
