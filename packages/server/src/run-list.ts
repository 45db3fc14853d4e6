/**
 * The runs and conversations of this user as lists and inboxes show them, whichever process works on them, and each change as
 * it happens.
 */
import {
  createConversationWatch,
  createRunWatch,
  isRunLocked,
  type ListedConversation,
  type ListedRun,
  type LookOptions,
  type Runtime,
} from '@crewagent/core';
import type { ConversationSummary } from '@crewagent/protocol/api/conversation-messages';
import type { RunList } from '@crewagent/protocol/api/run-messages';
import type { WorkList, WorkMessage } from '@crewagent/protocol/api/work-messages';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunPhase } from '@crewagent/protocol/run';
import { createFeed, type Feed, type FeedTiming, toFrame } from './feed.ts';
import type { Redact } from './redact.ts';
import { type Phased, toConversationSummary, toRunSummary } from './summaries.ts';

export interface RunLists {
  list(filter?: RunFilter): Promise<RunList>;
  listConversations(filter?: ConversationFilter): Promise<ConversationList>;
  /** A conversation as it is listed. */
  summaryOf(record: ConversationRecord): Promise<ConversationSummary>;
  /** The stream of a new reader: of one project, or of all. */
  open(projectId: string | undefined, onStalled: () => void): Promise<ReadableStream<Uint8Array>>;
  /** Something changed a moment ago: looks now. */
  poke(): void;
  close(): void;
}

interface RunFilter {
  readonly project?: string | undefined;
  readonly phase?: RunPhase | undefined;
}

interface ConversationFilter {
  readonly project?: string | undefined;
  /** Those that were put away, or the others; all if left out. */
  readonly isArchived?: boolean | undefined;
}

interface ConversationList {
  readonly conversations: WorkList['conversations'];
  readonly damaged: WorkList['damagedConversations'];
}

export interface RunListOptions {
  readonly runtime: Runtime;
  readonly redact: Redact;
  /** Runs and conversations this process works on: their lock is ours. */
  isHeld(id: string): boolean;
  readonly timing?: Partial<FeedTiming & { readonly lookEveryMs: number }> | undefined;
  onBug(id: string, error: unknown): void;
}

const LOOK_EVERY_MS = 1_000;
/** Every so many looks all records are looked at, for changes that nobody marked. */
const THOROUGH_EVERY = 60;

export function createRunLists({ runtime, redact, isHeld, timing, onBug }: RunListOptions): RunLists {
  const { store } = runtime;
  const runWatch = createRunWatch(store);
  const conversationWatch = createConversationWatch(store);
  const feeds = new Map<string | undefined, Feed>();
  let looker: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let looks = 0;
  let isClosed = false;
  /** Locks of what says Running, by id. */
  let live: readonly (readonly [id: string, lock: string])[] = [];

  const runsNow = ({ project, phase }: RunFilter): RunList => {
    const runs = runWatch.list().filter(({ projectId }) => project === undefined || projectId === project);
    return {
      runs: runs
        .flatMap(({ record }) => (record ? [toRunSummary(record)] : []))
        .filter((run) => phase === undefined || run.phase === phase),
      damaged: runs.flatMap(({ runId, projectId, record, problem }) =>
        record ? [] : [{ runId, projectId, problem: problem ?? UNREADABLE }],
      ),
    };
  };
  const conversationsNow = ({ project, isArchived }: ConversationFilter): ConversationList => {
    const summaryOf = createSummaries(runWatch.list());
    const found = conversationWatch
      .list()
      .filter(({ projectId }) => project === undefined || projectId === project)
      .filter(({ record }) => isArchived === undefined || (record?.archivedAt !== undefined) === isArchived);
    return {
      conversations: found
        .flatMap(({ record }) => (record ? [summaryOf(record)] : []))
        .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0)),
      damaged: found.flatMap(({ conversationId, projectId, record, problem }) =>
        record ? [] : [{ conversationId, projectId, problem: problem ?? UNREADABLE }],
      ),
    };
  };
  const listNow = (project: string | undefined): WorkList => {
    const { conversations, damaged: damagedConversations } = conversationsNow({ project });
    return { ...runsNow({ project }), conversations, damagedConversations };
  };

  const look = (options: LookOptions): Promise<void> => {
    looking ??= lookOnce(options).finally(() => {
      looking = undefined;
    });
    return looking;
  };
  /** Whoever asks sees what was done before, also when somebody is looking already. */
  const lookAfresh = async (): Promise<void> => {
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
    const conversations = await conversationWatch.look(options);
    const runs = await runWatch.look(options);
    if ([conversations, runs].every(({ changed, removed }) => changed.length + removed.length === 0)) return;
    live = [
      ...runWatch
        .list()
        .filter(isRunning)
        .map((run) => [run.runId, store.run(run).lock] as const),
      ...conversationWatch
        .list()
        .filter(isRunning)
        .map((found) => [found.conversationId, store.conversation(found).lock] as const),
    ];
    for (const { projectId, record } of runs.changed) {
      if (record) publish(projectId, { type: 'run', data: toRunSummary(record) });
    }
    for (const { projectId, runId } of runs.removed)
      publish(projectId, { type: 'run.removed', data: { runId } });
    tellConversations(
      conversations.changed,
      new Set([...runs.changed, ...runs.removed].map(({ runId }) => runId)),
    );
    for (const { projectId, conversationId } of conversations.removed)
      publish(projectId, { type: 'conversation.removed', data: { conversationId } });
  };
  /** Those that changed, and those that are in a run that did. */
  const tellConversations = (
    changed: readonly ListedConversation[],
    changedRuns: ReadonlySet<string>,
  ): void => {
    const summaryOf = createSummaries(runWatch.list());
    const ids = new Set(changed.map(({ conversationId }) => conversationId));
    for (const { conversationId, projectId, record } of conversationWatch.list()) {
      const isTold = ids.has(conversationId) || changedRuns.has(record?.activeRunId ?? '');
      if (record && isTold) publish(projectId, { type: 'conversation', data: summaryOf(record) });
    }
  };
  /** One that says Running while nobody works on it. */
  const hasDead = async (): Promise<boolean> => {
    for (const [id, lock] of live) if (!isHeld(id) && !(await isRunLocked(lock))) return true;
    return false;
  };
  const publish = (projectId: string, { type, data }: WorkMessage): void => {
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
        .catch((error: unknown) => onBug('run list', error))
        .finally(() => lookLater(timing?.lookEveryMs ?? LOOK_EVERY_MS));
    }, afterMs).unref();
  };
  const feedOf = (projectId: string | undefined): Feed => {
    const known = feeds.get(projectId);
    if (known) return known;
    const made = createFeed({
      timing,
      snapshot: () => toFrame(redact(JSON.stringify(listNow(projectId))), { event: 'snapshot' }),
      onReaders(readers) {
        if (readers === 0) feeds.delete(projectId);
      },
    });
    feeds.set(projectId, made);
    return made;
  };

  return {
    async list(filter = {}) {
      await lookAfresh();
      return runsNow(filter);
    },
    async listConversations(filter = {}) {
      await lookAfresh();
      return conversationsNow(filter);
    },
    async summaryOf(record) {
      await lookAfresh();
      return createSummaries(runWatch.list())(record);
    },
    async open(projectId, onStalled) {
      await lookAfresh();
      const stream = feedOf(projectId).open({ onStalled });
      lookLater(timing?.lookEveryMs ?? LOOK_EVERY_MS);
      return stream;
    },
    poke: () => lookLater(0),
    close() {
      isClosed = true;
      clearTimeout(looker);
      for (const feed of feeds.values()) feed.close();
    },
  };
}

function isRunning({ record }: { readonly record?: Phased }): boolean {
  return record?.phase === 'Running';
}

const UNREADABLE = 'It cannot be read.';

/** A conversation is where the run is that one is in. */
function createSummaries(runs: readonly ListedRun[]): (record: ConversationRecord) => ConversationSummary {
  const byId = new Map(runs.map(({ runId, record }) => [runId, record]));
  return (record) => toConversationSummary(record, byId.get(record.activeRunId ?? ''));
}
