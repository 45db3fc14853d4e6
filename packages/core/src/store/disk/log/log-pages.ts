/**
 * Reads a log in pages. The log is scanned once, as it grows, and positions in it are recorded, so that reading a page costs
 * only its own events. A page reports the same events as a reader of the whole log.
 */
import { fstatSync } from 'node:fs';
import type { RunEvent } from '@crewagent/protocol/events';
import { withDiskErrors } from '../../../base/errno.ts';
import { createQueue } from '../../../base/queue.ts';
import { type ChainPosition, type ChainReader, createChainReader } from '../../log-chain.ts';
import type { LogPage, LogPages, PageRange } from '../../work-store.ts';
import { readLines, withOpened } from './read-lines.ts';
import type { LogParts } from './run-log.ts';
import { fromLogLine } from './spilled-outputs.ts';

/** A position to continue reading from. */
interface Mark extends ChainPosition {
  readonly offset: number;
  /** Number of events reported before it. */
  readonly reported: number;
}

/** State of the scan. */
interface Scan {
  readonly chain: ChainReader;
  readonly marks: Mark[];
  /** End of the last complete line. */
  end: number;
  reported: number;
}

const EVENTS_BETWEEN_MARKS = 200;

/** A missing log is empty. */
export function createLogPages(file: string, parts: LogParts = {}): LogPages {
  let scan = startScan();
  const inOrder = createQueue();

  /** A new break in the chain may mean that the file was replaced: it is then scanned again from the start. */
  const readFrom = async (descriptor: number, range: PageRange): Promise<LogPage> => {
    const wasIntact = scan.end > 0 && scan.chain.brokenAt === undefined;
    await continueScan(scan, descriptor);
    const page = await readPage(scan, descriptor, range, parts);
    if (!wasIntact || page.isIntact) return page;
    scan = startScan();
    await continueScan(scan, descriptor);
    return readPage(scan, descriptor, range, parts);
  };

  const read = (range: PageRange): Promise<LogPage> =>
    withDiskErrors('Could not read the log of the run', async () => {
      const page = await withOpened(file, async (descriptor) => {
        // A shorter file was truncated at an incomplete line, or replaced.
        if (fstatSync(descriptor).size < scan.end) scan = startScan();
        return readFrom(descriptor, range);
      });
      if (!page) scan = startScan();
      return page ?? EMPTY_PAGE;
    });

  return { read: (range) => inOrder(() => read(range)) };
}

const EMPTY_PAGE: LogPage = { events: [], lastSeq: 0, isIntact: true };

function startScan(): Scan {
  const scan: Scan = {
    chain: createChainReader(() => scan.reported++),
    marks: [START],
    end: 0,
    reported: 0,
  };
  return scan;
}

const START: Mark = { lastSeq: 0, lastHash: '', offset: 0, reported: 0 };

/** Scans up to the last complete line. */
async function continueScan(scan: Scan, descriptor: number): Promise<void> {
  const { chain, marks } = scan;
  await readLines(
    descriptor,
    (line, offset) => {
      // A blank line may be truncated before the next event is written.
      if (chain.read(line) === 'blank') return;
      scan.end = offset;
      const { lastSeq, lastHash } = chain;
      const isDue = lastSeq - (marks.at(-1)?.lastSeq ?? 0) >= EVENTS_BETWEEN_MARKS;
      if (isDue && chain.endSeq === lastSeq)
        marks.push({ lastSeq, lastHash, offset, reported: scan.reported });
    },
    { from: scan.end },
  );
}

async function readPage(
  { chain: whole, marks, end }: Scan,
  descriptor: number,
  { after, limit }: PageRange,
  { outputs }: LogParts,
): Promise<LogPage> {
  const from = marks.findLast(({ lastSeq }) => lastSeq <= after) ?? START;
  const next = marks.find(({ lastSeq }) => lastSeq > after);
  // Numbers may be missing, and events of unknown types are not reported.
  const to = next && marks.find(({ reported }) => reported >= next.reported + limit);
  const events: RunEvent[] = [];
  const chain = createChainReader((event) => {
    if (event.seq > after && events.length < limit) events.push(fromLogLine(event, outputs));
  }, from);
  await readLines(descriptor, (line) => chain.read(line), { from: from.offset, to: to?.offset ?? end });
  if (to === undefined) chain.end();
  const isIntact = whole.brokenAt === undefined && chain.brokenAt === undefined;
  return { events, lastSeq: whole.endSeq, isIntact };
}
