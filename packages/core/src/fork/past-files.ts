/** Project files as they were at a point of a run, according to the journals of the run and of those that it called. Pure. */
import type { RunEvent } from '@crewagent/protocol/events';
import type { JournalImage, JournalRecord, JournalStep } from '@crewagent/protocol/journal';
import { compareTexts } from '../base/compare-texts.ts';
import type { JournalCopy } from '../store/work-store.ts';

/** One run of the tree. `seq`: its last event at that point; 0 for a run that was called later. */
export interface PastWork {
  readonly events: readonly RunEvent[];
  readonly seq: number;
  /** When the point was: decides about steps that no call of this run made, such as an undo. */
  readonly at: string;
  readonly journal: readonly JournalRecord[];
}

/** The journal of a run up to its point. */
export function toPastJournal(work: PastWork): JournalRecord[] {
  const isPast = createPastCheck(work);
  const past = new Set(work.journal.filter((record) => isStep(record) && isPast(record)).map(({ id }) => id));
  return work.journal.filter(({ id }) => past.has(id));
}

export interface PastFiles {
  /** By path in the project, what the first later change found; null stands for no file. */
  readonly files: ReadonlyMap<string, JournalImage | null>;
  /** Folders that later changes created, innermost first. */
  readonly madeFolders: readonly string[];
}

export function findPastFiles(works: readonly PastWork[]): PastFiles {
  const later = works.flatMap((work) => {
    const isPast = createPastCheck(work);
    const abandoned = new Set(
      work.journal.filter(({ type }) => type === 'step.abandoned').map(({ id }) => id),
    );
    return work.journal.filter(isStep).filter((step) => !isPast(step) && !abandoned.has(step.id));
  });
  const files = new Map<string, JournalImage | null>();
  const madeFolders = new Set<string>();
  // Only one run of a tree works at a time; steps of one journal stay in their order.
  const inOrder = later.toSorted((a, b) => compareTexts(a.at, b.at));
  for (const { path, before, mode, madeFolders: made } of inOrder) {
    const inside = toInside(path);
    if (!files.has(inside)) files.set(inside, before && { ...before, mode: before.mode ?? mode });
    for (const folder of made) madeFolders.add(toInside(folder));
  }
  return { files, madeFolders: [...madeFolders].sort((a, b) => b.length - a.length) };
}

function isStep(record: JournalRecord): record is JournalStep {
  return record.type !== 'step.done' && record.type !== 'step.abandoned';
}

const toInside = (path: string): string => path.slice('@project/'.length);

function createPastCheck({ events, seq, at }: PastWork): (step: JournalStep) => boolean {
  const started = new Map<string, number>();
  for (const event of events) if (event.type === 'tool.started') started.set(event.callId, event.seq);
  return (step) => {
    const startedSeq = step.type === 'change.begun' ? started.get(step.callId) : undefined;
    return startedSeq === undefined ? seq > 0 && step.at <= at : startedSeq <= seq;
  };
}

export interface LeftFile {
  /** Null for a file that was deleted. */
  readonly image: JournalImage | null;
  /** Has its content. */
  readonly journal: JournalCopy;
}

/** By path in the project: what the last change of a run, or of one that it called, left there. */
export function findLeftFiles(journals: readonly JournalCopy[]): ReadonlyMap<string, LeftFile> {
  const steps = journals.flatMap((journal) => {
    const done = new Set(journal.records.filter(({ type }) => type === 'step.done').map(({ id }) => id));
    return journal.records.filter(isStep).flatMap((step) => (done.has(step.id) ? [{ step, journal }] : []));
  });
  const inOrder = steps.toSorted((a, b) => compareTexts(a.step.at, b.step.at));
  return new Map(inOrder.map(({ step, journal }) => [toInside(step.path), { image: step.after, journal }]));
}
