/**
 * Recent error codes of the latest runs and conversations, from the ends of their logs. Reports only known codes, and nothing
 * else from a log.
 */
import { fstatSync, readSync } from 'node:fs';
import { ERRORS } from '@crewagent/protocol/errors';
import type { RunEvent } from '@crewagent/protocol/events';
import { IDLE_REASONS } from '@crewagent/protocol/reason-codes';
import type { RunPhase } from '@crewagent/protocol/run';
import { withDiskErrors } from '../../../base/errno.ts';
import { listConversations, listRuns } from '../../find-works.ts';
import type { Store } from '../../store.ts';
import { nounOf } from '../../work-records.ts';
import { createStoreLayout } from '../layout.ts';
import { withOpened } from './read-lines.ts';

export interface RecentErrors {
  readonly kind: 'run' | 'conversation';
  /** Undefined if the record cannot be read. */
  readonly phase?: RunPhase;
  readonly reason?: string;
  readonly updatedAt?: string;
  /** The latest last. */
  readonly codes: readonly string[];
}

/** Limit for runs, and for conversations. */
const MAX_WORKS = 20;
const MAX_CODES = 20;
const TAIL_BYTES = 262_144;

export async function readRecentErrors(store: Store): Promise<RecentErrors[]> {
  const layout = createStoreLayout(store.root);
  const runs = (await listRuns(store)).slice(0, MAX_WORKS);
  const conversations = (await listConversations(store)).slice(0, MAX_WORKS);
  const recent: RecentErrors[] = [];
  for (const work of [...runs, ...conversations]) {
    const { record } = work;
    recent.push({
      kind: nounOf(work),
      phase: record?.phase,
      updatedAt: record?.updatedAt,
      reason: record?.reason && toCode(record.reason.code),
      codes: (await readTail(layout.work(work).log)).flatMap(codesIn).slice(-MAX_CODES),
    });
  }
  return recent;
}

/** The value comes from a log and may be anything. */
function toCode(code: unknown): string {
  if (typeof code !== 'string') return 'none';
  return Object.hasOwn(ERRORS, code) || (IDLE_REASONS as readonly string[]).includes(code) ? code : 'unknown';
}

function codesIn(line: string): string[] {
  const event = parseLine(line);
  switch (event?.type) {
    case 'error':
    case 'llm.retry':
      return [toCode(event.code)];
    case 'tool.ended':
      return event.outcome === 'ok' ? [] : [toCode(event.code)];
    default:
      return [];
  }
}

function parseLine(line: string): Partial<RunEvent> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Lines at the end of a file; the first may be incomplete. */
async function readTail(file: string): Promise<string[]> {
  const lines = await withDiskErrors('Could not read a log', () =>
    withOpened(file, async (descriptor) => {
      const { size } = fstatSync(descriptor);
      const from = Math.max(0, size - TAIL_BYTES);
      const buffer = Buffer.alloc(size - from);
      const bytesRead = readSync(descriptor, buffer, 0, buffer.length, from);
      return buffer.subarray(0, bytesRead).toString('utf8').split('\n');
    }),
  );
  return lines ?? [];
}
