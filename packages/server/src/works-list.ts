/**
 * The conversations and runs of this user as lists and inboxes show them, whichever process works on them, and each change as
 * it happens.
 */
import type { ListedWork, LookOptions, Runtime, WorkAddress } from '@crewagent/core';
import type { ListMessage, WorkList, WorkSummary } from '@crewagent/protocol/api/work-messages';
import type { RunPhase } from '@crewagent/protocol/run';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';
import { createFeed, type Feed, type FeedTiming, toFrame } from './feed.ts';
import type { Redact } from './redact.ts';
import { toSummary } from './summaries.ts';

export interface WorksList {
  list(filter?: WorkFilter): Promise<WorkList>;
  /** A Work as it is listed. */
  summaryOf(record: WorkRecord): Promise<WorkSummary>;
  /** The stream of a new reader: of one project, or of all. */
  open(projectId: string | undefined, onStalled: () => void): Promise<ReadableStream<Uint8Array>>;
  /** Something changed a moment ago: looks now. */
  scheduleRefresh(): void;
  close(): void;
}

interface WorkFilter {
  readonly project?: string | undefined;
  readonly phase?: RunPhase | undefined;
  /** Those that were put away, or the others; all if left out. */
  readonly isArchived?: boolean | undefined;
}

export interface WorksListOptions {
  readonly runtime: Runtime;
  readonly redact: Redact;
  /** What this process works on: its lock is ours. */
  isHeld(workId: string): boolean;
  readonly timing?: Partial<FeedTiming & { readonly lookEveryMs: number }> | undefined;
  onBug(id: string, error: unknown): void;
}

const LOOK_EVERY_MS = 1_000;
/** Every so many looks all records are looked at, for changes that nobody marked. */
const THOROUGH_EVERY = 60;

export function createWorksList({ runtime, redact, isHeld, timing, onBug }: WorksListOptions): WorksList {
  const { store } = runtime;
  const watch = store.works.watch();
  const feeds = new Map<string | undefined, Feed>();
  let looker: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let looks = 0;
  let isClosed = false;
  /** What says Running. */
  let live: readonly WorkAddress[] = [];

  const listNow = ({ project, phase, isArchived }: WorkFilter): WorkList => {
    const summaryOf = createSummaries(watch.list());
    const found = watch
      .list()
      .filter(({ projectId }) => project === undefined || projectId === project)
      .filter(({ record }) => isArchived === undefined || isPutAway(record) === isArchived);
    return {
      works: found
        .flatMap(({ record }) => (record ? [summaryOf(record)] : []))
        .filter((work) => phase === undefined || work.phase === phase)
        .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0)),
      damaged: found.flatMap(({ workId, projectId, isRun: isRunWork, record, problem }) =>
        record ? [] : [{ workId, projectId, isRun: isRunWork, problem: problem ?? UNREADABLE }],
      ),
    };
  };

  const look = (options: LookOptions): Promise<void> => {
    looking ??= lookOnce(options).finally(() => {
      looking = undefined;
    });
    return looking;
  };
  /** Whoever asks sees what was done before, also when somebody is looking already. */
  const refreshNow = async (): Promise<void> => {
    await looking?.catch(() => undefined);
    await look({ isThorough: true });
  };
  const lookOnce = async (options: LookOptions): Promise<void> => {
    await lookAndTell(options);
    if (!(await hasDead())) return;
    await runtime.sweepInterrupted();
    await lookAndTell(options);
  };
  const lookAndTell = async (options: LookOptions): Promise<void> => {
    const { changed, removed } = await watch.look(options);
    if (changed.length + removed.length === 0) return;
    live = watch.list().filter(({ record }) => record?.phase === 'Running');
    const summaryOf = createSummaries(watch.list());
    const ids = new Set([...changed, ...removed].map(({ workId }) => workId));
    for (const { workId, projectId, record } of watch.list()) {
      // Those that changed, and those that are in a run that did.
      const isAnnounced = ids.has(workId) || (record && ids.has(activeRunOf(record) ?? ''));
      if (record && isAnnounced) publish(projectId, { type: 'work', data: summaryOf(record) });
    }
    for (const { projectId, workId } of removed)
      publish(projectId, { type: 'work.removed', data: { workId } });
  };
  /** One that says Running while nobody works on it. */
  const hasDead = async (): Promise<boolean> => {
    for (const work of live) if (!isHeld(work.workId) && !(await store.works.isLeased(work))) return true;
    return false;
  };
  const publish = (projectId: string, { type, data }: ListMessage): void => {
    const frame = toFrame(redact(JSON.stringify(data)), { event: type });
    feeds.get(projectId)?.publish(frame);
    feeds.get(undefined)?.publish(frame);
  };
  const lookLater = (afterMs: number): void => {
    clearTimeout(looker);
    if (isClosed || ![...feeds.values()].some(({ readers }) => readers > 0)) return;
    looker = setTimeout(() => {
      looks++;
      void look({ isThorough: looks % THOROUGH_EVERY === 0 })
        .catch((error: unknown) => onBug('works list', error))
        .finally(() => lookLater(timing?.lookEveryMs ?? LOOK_EVERY_MS));
    }, afterMs).unref();
  };
  const feedOf = (projectId: string | undefined): Feed => {
    const known = feeds.get(projectId);
    if (known) return known;
    const made = createFeed({
      timing,
      snapshot: () => toFrame(redact(JSON.stringify(listNow({ project: projectId }))), { event: 'snapshot' }),
      onReaders(readers) {
        if (readers === 0) feeds.delete(projectId);
      },
    });
    feeds.set(projectId, made);
    return made;
  };

  return {
    async list(filter = {}) {
      await refreshNow();
      return listNow(filter);
    },
    async summaryOf(record) {
      await refreshNow();
      return createSummaries(watch.list())(record);
    },
    async open(projectId, onStalled) {
      await refreshNow();
      const stream = feedOf(projectId).open({ onStalled });
      lookLater(timing?.lookEveryMs ?? LOOK_EVERY_MS);
      return stream;
    },
    scheduleRefresh: () => lookLater(0),
    close() {
      isClosed = true;
      clearTimeout(looker);
      for (const feed of feeds.values()) feed.close();
    },
  };
}

const UNREADABLE = 'It cannot be read.';

function isPutAway(record: WorkRecord | undefined): boolean {
  return record !== undefined && !isRun(record) && record.archivedAt !== undefined;
}

function activeRunOf(record: WorkRecord): string | undefined {
  return isRun(record) ? undefined : record.activeRunId;
}

/** A conversation is where the run is that one is in. */
function createSummaries(works: readonly ListedWork[]): (record: WorkRecord) => WorkSummary {
  const byId = new Map(works.map(({ workId, record }) => [workId, record]));
  return (record) => toSummary(record, byId.get(activeRunOf(record) ?? ''));
}
