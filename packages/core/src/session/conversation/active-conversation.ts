/**
 * An open conversation: its thread and its active run. Switches between them and records each switch in the
 * conversation's log; which input goes where is decided in `open-session`.
 */

import type { ConversationRecord } from '@crewagent/protocol/conversation';
import { type ConversationState, modeOf } from '@crewagent/protocol/conversation-state';
import { toConversationTitle } from '@crewagent/protocol/conversation-title';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import type { RunRecord } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { activeStory, type WorkStory } from '@crewagent/protocol/story/work-story';
import type { WorkRecord } from '@crewagent/protocol/work';
import { toAnswerText } from '../../prompt/answer-text.ts';
import { toRunNote } from '../../prompt/prompt-blocks.ts';
import { interruptionOf } from '../../store/interrupted-works.ts';
import { requireFolder } from '../../store/project-store.ts';
import { runBeside, toAddress } from '../../store/work-address.ts';
import type { AssembledEngine } from '../assemble-engine.ts';
import { type OpenRun, openRun } from '../open-run.ts';
import type { SessionStop } from '../session.ts';
import { toPublicModel } from '../start-run.ts';
import { type ActiveThread, type HeldRecord, holdRecord, openActiveThread } from './active-thread.ts';
import { type ConversationEvents, openConversationEvents } from './conversation-events.ts';
import type { AgentBinding, OpenThread, ThreadOptions } from './open-thread.ts';

export interface ActiveConversation {
  readonly record: ConversationRecord;
  readonly projectPath: string;
  readonly view: WorkStory;
  readonly thread: OpenThread;
  /** The active run, if this process has opened it. */
  readonly run: OpenRun | undefined;
  /** Appends to the conversation's own log. */
  emit(fact: RunFact): RunEvent;
  subscribe(listener: (event: RunEvent) => void): () => void;
  /** The recipient of input: the active run, or the thread. */
  active(): Promise<AssembledEngine>;
  /** Current mode, phase and reason. */
  state(): SessionStop;
  /** Stops every running turn. */
  stop(): Promise<void>;
  /** The same; a question that waits is skipped, and no turn begins. */
  stopAsking(): Promise<void>;
  /** Opens a run of this conversation and brings its view up to date. */
  openRun(runId: string, loaded?: AgentBinding['loaded']): Promise<OpenRun>;
  /**
   * Incomplete runs of the project that are not active anywhere: those of this conversation first, then the latest
   * first.
   */
  unfinishedRuns(): Promise<UnfinishedRun[]>;
  enterRun(run: OpenRun): Promise<void>;
  /** Leaves the active run or script and abandons pending requests of the thread. A left run can be resumed. */
  leave(): Promise<void>;
  switchAgent(binding: AgentBinding | undefined, fact: RunFact): Promise<void>;
  setModel(model: RunModel): Promise<void>;
  /** Resolves when the person's input survives a power loss. */
  saveInput(): Promise<void>;
  /** Updates the record from the view. */
  save(): Promise<void>;
  close(): Promise<void>;
}

export interface UnfinishedRun {
  readonly record: RunRecord;
  /** The run was started in this conversation, or entered from it. */
  readonly isOwn: boolean;
}

export async function openActiveConversation(
  found: ConversationRecord,
  options: ThreadOptions,
): Promise<ActiveConversation> {
  const { store, now } = options;
  const { workId, projectId } = found;
  const project = await store.projects.read(projectId);
  await requireFolder(project.path);
  const events = await openConversationEvents(found, options);
  const { view } = events;
  const record = holdRecord(store.works, found);
  const active = await openActiveThread({ record, project, view }, { ...options, onEvent: events.notify });
  const runs = createActiveRun({ projectPath: project.path, record, active, events });

  const current: ActiveConversation = {
    get record() {
      return record.current;
    },
    projectPath: project.path,
    view,
    get thread() {
      return active.thread;
    },
    get run() {
      return runs.run;
    },
    emit: (fact) => active.thread.engine.emit(fact),
    subscribe: (listener) => events.subscribe(listener),
    active: async () => (await runs.active()) ?? active.thread,
    state() {
      const { phase, reason } = activeStory(view);
      return { mode: modeOf(view.state), phase, reason };
    },
    async stop() {
      await active.thread.engine.stop();
      await runs.run?.engine.stop();
    },
    async stopAsking() {
      await current.stop();
      const { engine } = await current.active();
      const { pending } = engine;
      if (pending?.kind === 'question') await engine.stopQuestion(pending.callId);
    },
    openRun: (runId, loaded) => runs.open(runId, loaded),
    async unfinishedRuns() {
      const records = (await store.works.list({ projectId })).flatMap(({ record: one }) => one ?? []);
      return toUnfinished(records, workId, view.state);
    },
    enterRun: (next) => runs.enter(next, current.leave),
    async leave() {
      const { engine } = active.thread;
      await engine.stop();
      engine.abandon();
      const { script } = view.state;
      if (script) current.emit({ type: 'script.left', path: script.path });
      await runs.leave();
    },
    async switchAgent(next, fact) {
      await active.thread.engine.stop();
      // Steps that can fail come first, so that a failure leaves nothing behind.
      await active.reopen(next);
      await current.leave();
      current.emit(fact);
      await current.save();
    },
    async setModel(model) {
      await active.setModel(model, runs.close);
      current.emit({ type: 'model.changed', model: toPublicModel(model) });
    },
    async saveInput() {
      await active.thread.engine.saveInput();
      await runs.run?.engine.saveInput();
    },
    save: () => record.update((latest) => toSaved(latest, view, now())),
    async close() {
      try {
        await runs.close();
      } finally {
        await active.close();
      }
    },
  };
  if (toStatus(active.thread.engine.memory).isRunning) await settleThread(current, options);
  return current;
}

interface ActiveRunParts {
  readonly projectPath: string;
  readonly record: HeldRecord;
  readonly active: ActiveThread;
  readonly events: ConversationEvents;
}

/** The run that input goes to, and how it is entered and left. */
function createActiveRun({ projectPath, record, active, events }: ActiveRunParts) {
  const { view, catchUp } = events;
  const emit = (fact: RunFact): RunEvent => active.thread.engine.emit(fact);
  let run: OpenRun | undefined;

  const open = async (runId: string, loaded?: AgentBinding['loaded']): Promise<OpenRun> => {
    await requireFolder(projectPath);
    const opened = await openRun(runBeside(record.current, runId), {
      ...active.opening,
      loaded,
      model: record.current.model,
    });
    try {
      // A new run emits its events when it is entered.
      if (!loaded) await catchUp(runId);
    } catch (error) {
      await opened.close();
      throw error;
    }
    return opened;
  };
  const close = async (): Promise<void> => {
    await run?.close();
    run = undefined;
  };
  return {
    get run(): OpenRun | undefined {
      return run;
    },
    /** The active run, opened if necessary; undefined if none is active. */
    async active(): Promise<OpenRun | undefined> {
      const { activeRunId } = view.state;
      if (activeRunId !== undefined) run ??= await open(activeRunId);
      return activeRunId === undefined ? undefined : run;
    },
    open,
    /** `leave` is called first; the run is closed if it cannot be entered. */
    async enter(next: OpenRun, leave: () => Promise<void>): Promise<void> {
      const { workId: runId, workflowTitle, workflowRef } = next.record;
      try {
        await leave();
        const afterSeq = view.runs.get(runId)?.lastSeq ?? 0;
        emit({ type: 'run.entered', enteredRunId: runId, afterSeq, title: workflowTitle || workflowRef });
        run = next;
        await catchUp(runId);
      } catch (error) {
        if (run !== next) await next.close();
        throw error;
      }
    },
    async leave(): Promise<void> {
      const { activeRunId } = view.state;
      if (activeRunId === undefined) return;
      await close();
      const note = noteOf(view, activeRunId);
      emit({ type: 'run.left', leftRunId: activeRunId, note });
    },
    close,
  };
}

function toSaved(latest: ConversationRecord, view: WorkStory, now: Date): ConversationRecord {
  const { kind, agent, activeRunId } = view.state;
  const title = toConversationTitle(view);
  return {
    ...latest,
    kind,
    agent,
    activeRunId,
    title: latest.isRenamed || title === undefined ? latest.title : title,
    updatedAt: now.toISOString(),
  };
}

/** Excludes runs that are active in another conversation or running in another process. */
function toUnfinished(
  records: readonly WorkRecord[],
  conversationId: string,
  { runIds, activeRunId }: ConversationState,
): UnfinishedRun[] {
  const others = records.filter(({ workId }) => workId !== conversationId);
  const activeIds = new Set([activeRunId, ...others.map((other) => other.activeRunId)]);
  return records
    .flatMap((record) => {
      // A called run is resumed with its caller.
      if (record.workflowRef === undefined || record.call || activeIds.has(record.workId)) return [];
      const isOwn = record.parentId === conversationId || runIds.includes(record.workId);
      const { isCompleted, isRunning } = toStatus(record);
      return isCompleted || (isRunning && !isOwn) ? [] : [{ record, isOwn }];
    })
    .sort(
      (a, b) => Number(b.isOwn) - Number(a.isOwn) || b.record.updatedAt.localeCompare(a.record.updatedAt),
    );
}

/** Records the interruption when the previous process ended in the middle of a turn. */
async function settleThread({ emit, record }: ActiveConversation, { store }: ThreadOptions): Promise<void> {
  const address = toAddress(record);
  const reason = interruptionOf(address);
  emit({ type: 'phase.changed', phase: 'WaitingUser', reason });
  await store.works.update<ConversationRecord>(address, (latest) => ({
    ...latest,
    phase: 'WaitingUser',
    reason,
  }));
}

/** Undefined for a run that was deleted. */
function noteOf({ runs }: WorkStory, runId: string): string | undefined {
  const run = runs.get(runId);
  if (!run?.workflow) return undefined;
  const { currentNodeId, artifacts } = run.state;
  return toRunNote({
    workflow: run.workflow.title || run.workflow.ref,
    phase: run.phase,
    currentNodeId,
    artifacts,
    said: run.timeline.flatMap((item) => {
      if (item.kind === 'person') return [item.text];
      return item.kind === 'question' && item.answers ? [toAnswerText(item.answers, item.questions)] : [];
    }),
  });
}
