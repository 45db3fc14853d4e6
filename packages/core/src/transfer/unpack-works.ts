/**
 * Works that arrived from another store, verified: the chain of each log, each event and record, ids, paths and the hash of each content.
 * Nothing is stored here.
 */
import { type RunEvent, runEventSchema } from '@crewagent/protocol/events';
import { type JournalRecord, journalRecordSchema } from '@crewagent/protocol/journal';
import type { Transfer, TransferredWork } from '@crewagent/protocol/transfer';
import type { WorkRecord } from '@crewagent/protocol/work';
import { CrewError } from '../base/crew-error.ts';
import { segmentDanger } from '../base/file-names.ts';
import { sha256Of } from '../base/sha256.ts';
import { createChainReader } from '../store/log-chain.ts';
import { schemaOf } from '../store/work-records.ts';
import type { WorkCopy } from '../store/work-store.ts';
import { imagesOf } from './pack-works.ts';

/** Undefined for a content that did not arrive. */
type ReadContent = (sha256: string) => Promise<Buffer | undefined>;

/** The root first, and each Work after its parent. Throws TRANSFER_REFUSED. */
export async function unpackWorks({ works }: Transfer, readContent: ReadContent): Promise<WorkCopy[]> {
  const read = async (sha256: string): Promise<Buffer> => {
    const content = await readContent(sha256);
    if (content && sha256Of(content) === sha256) return content;
    throw refused(`a part of it (${sha256.slice(0, 12)}) is missing or damaged`);
  };
  const copies: WorkCopy[] = [];
  const ids = new Set<string>();
  for (const work of works) {
    const copy = await unpackWork(work, read);
    const { workId, parentId } = copy.record;
    const isPlaced = ids.size === 0 ? parentId === undefined : parentId !== undefined && ids.has(parentId);
    if (!isPlaced || ids.has(workId)) throw refused('its runs do not belong together');
    ids.add(workId);
    copies.push(copy);
  }
  for (const { record } of copies)
    if (record.activeRunId !== undefined && !ids.has(record.activeRunId))
      throw refused('its runs do not belong together');
  return copies;
}

async function unpackWork(
  { record, log, lastSeq, state, journal, images }: TransferredWork,
  read: (sha256: string) => Promise<Buffer>,
): Promise<WorkCopy> {
  const checked = parseRecord(record);
  const events = await readLog(checked.workId, { log, lastSeq }, read);
  requireSettled(checked, events);
  for (const path of Object.keys(state))
    if (path.split('/').some((part) => part.startsWith('.') || isDangerous(part)))
      throw refused(`it has a file of the name "${path.slice(0, 200)}"`);
  const records = journal === undefined ? [] : parseJournal(await read(journal));
  requireWholeJournal(records);
  const kept = imagesOf(records);
  if (!images.every((sha256) => kept.has(sha256)))
    throw refused('its journal does not name all its contents');
  return { record: checked, events, state: new Map(Object.entries(state)), journal: records, images, read };
}

function isDangerous(part: string): boolean {
  return segmentDanger(part) !== undefined || /[\p{C}\\:*?"<>|]/u.test(part);
}

function parseRecord(value: TransferredWork['record']): WorkRecord {
  const parsed = schemaOf({ isRun: value.workflowRef !== undefined }).safeParse(value);
  if (parsed.success) return parsed.data;
  throw refused('its record is not one that this version of crewagent knows');
}

async function readLog(
  workId: string,
  { log, lastSeq }: Pick<TransferredWork, 'log' | 'lastSeq'>,
  read: (sha256: string) => Promise<Buffer>,
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const chain = createChainReader((event) => events.push(event));
  for (const part of log)
    for (const line of (await read(part)).toString().split('\n')) if (line !== '') chain.read(line);
  chain.end();
  if (chain.brokenAt !== undefined) throw refused(`its log was changed at event ${chain.brokenAt}`);
  if (events.length !== lastSeq) throw refused('events of its log are missing, or of a newer version');
  for (const event of events)
    if (event.runId !== workId || !runEventSchema.safeParse(event).success)
      throw refused(`event ${event.seq} of its log is not one that this version of crewagent knows`);
  return events;
}

/** What was approved and not done yet would be done here without anybody's approval. */
export function requireSettled({ phase }: WorkRecord, events: readonly RunEvent[]): void {
  const approved = new Set<string>();
  for (const event of events)
    if (event.type === 'approval.resolved') approved.add(event.callId);
    else if (event.type === 'tool.ended') approved.delete(event.callId);
  if (phase === 'Running' || approved.size > 0)
    throw refused('it is in the middle of a turn; continue it until it waits or ends, then try again');
}

/** A change that was begun and not settled would be settled here: by removing, or putting back, files that nobody was shown. */
export function requireWholeJournal(records: readonly JournalRecord[]): void {
  const open = new Set<number>();
  for (const { type, id } of records)
    if (type === 'step.done' || type === 'step.abandoned') open.delete(id);
    else open.add(id);
  if (open.size > 0)
    throw refused('a change of a file was cut off; open the run where it is, then try again');
}

function parseJournal(content: Buffer): JournalRecord[] {
  try {
    const lines = content.toString().split('\n').filter(Boolean);
    return lines.map((line) => journalRecordSchema.parse(JSON.parse(line)));
  } catch {
    throw refused('its journal cannot be read');
  }
}

export function refused(reason: string): CrewError {
  return new CrewError('TRANSFER_REFUSED', `The run was not accepted: ${reason}.`);
}
