/**
 * A log in pages, for those who look at a part of it. The log is gone through once, as it grows; where its parts begin is kept,
 * and a page costs its own events. What a page tells is what a reading of the whole log tells.
 */
import type { FileHandle } from 'node:fs/promises';
import type { RunEvent } from '@crewagent/protocol/events';
import { withDiskErrors } from '../../base/errno.ts';
import type { LogPage, LogPages, PageRange } from '../work-log.ts';
import { type ChainPosition, type ChainReader, createChainReader } from './log-chain.ts';
import { openIfPresent, readLines } from './read-lines.ts';
import type { LogParts } from './run-log.ts';
import { fromLogLine } from './spilled-outputs.ts';

/** A place to read on from, and where that is. */
interface Mark extends ChainPosition {
  readonly offset: number;
  /** How many events are told of what is before it. */
  readonly reported: number;
}

/** What is known of a log so far. */
interface Survey {
  readonly chain: ChainReader;
  readonly marks: Mark[];
  /** Behind the last finished line. */
  end: number;
  reported: number;
}

const EVENTS_BETWEEN_MARKS = 200;

/** A log that is not there is empty. */
export function createLogPages(file: string, parts: LogParts = {}): LogPages {
  let survey = beginSurvey();
  let last: Promise<unknown> = Promise.resolve();

  /** A break where all was well may mean that what was known is not what is there: that is looked at from the beginning. */
  const readFrom = async (handle: FileHandle, range: PageRange): Promise<LogPage> => {
    const wasIntact = survey.end > 0 && survey.chain.brokenAt === undefined;
    await continueRun(survey, handle);
    const page = await readPage(survey, handle, range, parts);
    if (!wasIntact || page.isIntact) return page;
    survey = beginSurvey();
    await continueRun(survey, handle);
    return readPage(survey, handle, range, parts);
  };

  const read = (range: PageRange): Promise<LogPage> =>
    withDiskErrors('Could not read the log of the run', async () => {
      const handle = await openIfPresent(file);
      if (!handle) {
        survey = beginSurvey();
        return NOTHING;
      }
      try {
        // Shorter than it was: its end was never finished and is gone, or it is another file.
        if ((await handle.stat()).size < survey.end) survey = beginSurvey();
        return await readFrom(handle, range);
      } finally {
        await handle.close();
      }
    });

  return {
    read(range) {
      const page = last.then(() => read(range));
      last = page.catch(() => undefined);
      return page;
    },
  };
}

const NOTHING: LogPage = { events: [], lastSeq: 0, isIntact: true };

function beginSurvey(): Survey {
  const survey: Survey = {
    chain: createChainReader(() => survey.reported++),
    marks: [BEGINNING],
    end: 0,
    reported: 0,
  };
  return survey;
}

const BEGINNING: Mark = { lastSeq: 0, lastHash: '', offset: 0, reported: 0 };

/** To the end of what is finished by now. */
async function continueRun(survey: Survey, handle: FileHandle): Promise<void> {
  const { chain, marks } = survey;
  await readLines(
    handle,
    (line, offset) => {
      // What is blank may be cut off before the next event is written.
      if (chain.read(line) === 'blank') return;
      survey.end = offset;
      const { lastSeq, lastHash } = chain;
      const isDue = lastSeq - (marks.at(-1)?.lastSeq ?? 0) >= EVENTS_BETWEEN_MARKS;
      if (isDue && chain.endSeq === lastSeq)
        marks.push({ lastSeq, lastHash, offset, reported: survey.reported });
    },
    { from: survey.end },
  );
}

async function readPage(
  { chain: whole, marks, end }: Survey,
  handle: FileHandle,
  { after, limit }: PageRange,
  { outputs }: LogParts,
): Promise<LogPage> {
  const from = marks.findLast(({ lastSeq }) => lastSeq <= after) ?? BEGINNING;
  const behind = marks.find(({ lastSeq }) => lastSeq > after);
  // Numbers may be missing, and events of unknown types are not told.
  const to = behind && marks.find(({ reported }) => reported >= behind.reported + limit);
  const events: RunEvent[] = [];
  const chain = createChainReader((event) => {
    if (event.seq > after && events.length < limit) events.push(fromLogLine(event, outputs));
  }, from);
  await readLines(handle, (line) => chain.read(line), { from: from.offset, to: to?.offset ?? end });
  if (to === undefined) chain.end();
  const isIntact = whole.brokenAt === undefined && chain.brokenAt === undefined;
  return { events, lastSeq: whole.endSeq, isIntact };
}
