/**
 * An open conversation: its thread, its active run and the folded view of both. Switches between them and records
 * each switch in the conversation's log; which input goes where is decided in `open-session`.
 */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import { type ConversationState, modeOf } from '@crewagent/protocol/conversation-state';
import { toConversationTitle } from '@crewagent/protocol/conversation-title';
import type { RunEvent, RunFact } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import type { RunRecord } from '@crewagent/protocol/run';
import { isRun, type WorkRecord } from '@crewagent/protocol/work';
import { activeView, addToWorkView, createWorkView, type WorkView } from '@crewagent/protocol/work-view';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { toRunNote } from '../prompt/prompt-blocks.ts';
import { readProject } from '../store/disk/project-store.ts';
import { interruptionOf, settleInterrupted } from '../store/interrupted-works.ts';
import { type RunAddress, toAddress } from '../store/work-address.ts';
import { isSameValue } from '../workflow/same-value.ts';
import { type AssembledEngine, requireFolder } from './assemble-engine.ts';
import { shareAdapter } from './model-adapter.ts';
import { type OpenRun, openRun } from './open-run.ts';
import {
  type AgentBinding,
  loadAgentBinding,
  type OpenThread,
  openThread,
  type ThreadOptions,
} from './open-thread.ts';
import type { SessionStop } from './session.ts';
import { toPublicModel } from './start-run.ts';

export interface ActiveConversation {
  readonly record: ConversationRecord;
  readonly projectPath: string;
  readonly view: WorkView;
  readonly thread: OpenThread;
  /** The active run, if this process has opened it. */
  readonly run: OpenRun | undefined;
  /** Appends to the conversation's own log. */
  emit(fact: RunFact): RunEvent;
  subscribe(listener: (event: RunEvent) => void): () => void;
  /** The recipient of input: the active run, or the thread. */
  active(): Promise<AssembledEngine>;
  /** Current mode, phase and reason. */
  rest(): SessionStop;
  /** Stops every running turn. */
  stop(): Promise<void>;
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
  const { store, now, onBug } = options;
  const { workId, projectId } = found;
  const address = toAddress(found);
  const addressOf = (runId: string): RunAddress => ({ projectId, workId: runId, isRun: true });
  const project = await readProject(store, projectId);
  await requireFolder(project.path);
  const listeners = new Set<(event: RunEvent) => void>();
  const view = createWorkView(workId);
  let record = found;
  let run: OpenRun | undefined;

  const notify = (event: RunEvent): void => {
    addToWorkView(view, event);
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        // A failing listener must not stop the conversation.
        onBug('listener', error);
      }
    }
  };
  /** Emits events of a run that this view does not have yet: of other processes, or from before the run was entered. */
  const catchUp = async (runId: string): Promise<void> => {
    await store.works.readLog(addressOf(runId), (event) => {
      if (event.seq > (view.runs.get(runId)?.lastSeq ?? 0)) notify(event);
    });
    for (const { childId } of view.runs.get(runId)?.calls ?? []) await catchUp(childId);
  };

  await store.works.readLog(address, (event) => addToWorkView(view, event));
  for (const runId of view.state.runIds) {
    if (runId === view.state.activeRunId) await settleInterrupted(store.works, addressOf(runId), { now });
    await catchUp(runId);
  }

  // The thread and its runs share one model, one connection and one recording.
  let adapter = await options.createAdapter(record.model);
  const createAdapter = async (model: RunModel): Promise<LLMAdapter> =>
    isSameValue(model, record.model) ? shareAdapter(adapter) : options.createAdapter(model);
  const opening = { ...options, createAdapter, onEvent: notify };

  const openThreadWith = (binding: AgentBinding | undefined): Promise<OpenThread> =>
    openThread(record, project, { ...opening, binding });
  let thread: OpenThread;
  try {
    const { agent } = view.state;
    const known = agent && { agentId: agent.agentId, hash: agent.package.hash };
    thread = await openThreadWith(known && (await loadAgentBinding(known, opening)));
  } catch (error) {
    adapter.close();
    throw error;
  }

  /** Reopens the thread with another agent. If that fails, `restore` runs before the previous thread is reopened. */
  const reopenThread = async (
    next: AgentBinding | undefined,
    restore?: () => Promise<void>,
  ): Promise<void> => {
    const before = thread.binding;
    await thread.close();
    try {
      thread = await openThreadWith(next);
    } catch (error) {
      await restore?.();
      thread = await openThreadWith(before);
      throw error;
    }
  };
  const saveModel = async (model: RunModel): Promise<void> => {
    record = await store.works.update<ConversationRecord>(address, (latest) => ({ ...latest, model }));
  };

  const current: ActiveConversation = {
    get record() {
      return record;
    },
    projectPath: project.path,
    view,
    get thread() {
      return thread;
    },
    get run() {
      return run;
    },
    emit: (fact) => thread.engine.emit(fact),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async active() {
      const { activeRunId } = view.state;
      if (activeRunId === undefined) return thread;
      run ??= await current.openRun(activeRunId);
      return run;
    },
    rest() {
      const { phase, reason } = activeView(view);
      return { mode: modeOf(view.state), phase, ...(reason ? { reason } : {}) };
    },
    async stop() {
      await thread.engine.stop();
      await run?.engine.stop();
    },
    async openRun(runId, loaded) {
      await requireFolder(project.path);
      const opened = await openRun(addressOf(runId), { ...opening, loaded, model: record.model });
      try {
        // A new run emits its events when it is entered.
        if (!loaded) await catchUp(runId);
      } catch (error) {
        await opened.close();
        throw error;
      }
      return opened;
    },
    async unfinishedRuns() {
      const records = (await store.works.list({ projectId })).flatMap(({ record: one }) => one ?? []);
      return toUnfinished(records, workId, view.state);
    },
    async enterRun(next) {
      const { workId: runId, workflowTitle, workflowRef } = next.record;
      try {
        await current.leave();
        const afterSeq = view.runs.get(runId)?.lastSeq ?? 0;
        const title = workflowTitle || workflowRef;
        current.emit({ type: 'run.entered', enteredRunId: runId, afterSeq, title });
        run = next;
        await catchUp(runId);
      } catch (error) {
        if (run !== next) await next.close();
        throw error;
      }
    },
    async leave() {
      await thread.engine.stop();
      thread.engine.abandon();
      const { script, activeRunId } = view.state;
      if (script) current.emit({ type: 'script.left', path: script.path });
      if (activeRunId === undefined) return;
      await run?.close();
      run = undefined;
      const note = noteOf(view, activeRunId);
      current.emit({ type: 'run.left', leftRunId: activeRunId, ...(note === undefined ? {} : { note }) });
    },
    async switchAgent(next, fact) {
      await thread.engine.stop();
      // Steps that can fail come first, so that a failure leaves nothing behind.
      await reopenThread(next);
      await current.leave();
      current.emit(fact);
      await current.save();
    },
    async setModel(model) {
      const before = { adapter, model: record.model };
      const next = await options.createAdapter(model);
      try {
        await saveModel(model);
        adapter = next;
        await run?.close();
        run = undefined;
        await reopenThread(thread.binding, async () => {
          adapter = before.adapter;
          await saveModel(before.model);
        });
      } catch (error) {
        next.close();
        throw error;
      }
      before.adapter.close();
      current.emit({ type: 'model.changed', model: toPublicModel(model) });
    },
    async saveInput() {
      await thread.engine.saveInput();
      await run?.engine.saveInput();
    },
    async save() {
      const { kind, agent: entered, activeRunId } = view.state;
      const title = toConversationTitle(view);
      record = await store.works.update<ConversationRecord>(
        address,
        ({ agent: _, activeRunId: __, ...latest }) => ({
          ...latest,
          kind,
          ...(entered ? { agent: entered } : {}),
          ...(activeRunId === undefined ? {} : { activeRunId }),
          title: latest.isRenamed || title === undefined ? latest.title : title,
          updatedAt: now().toISOString(),
        }),
      );
    },
    async close() {
      try {
        await run?.close();
      } finally {
        try {
          await thread.close();
        } finally {
          adapter.close();
        }
      }
    },
  };
  if (thread.engine.memory.phase === 'Running') await settleThread(current, options);
  return current;
}

/** Excludes runs that are active in another conversation or running in another process. */
function toUnfinished(
  records: readonly WorkRecord[],
  conversationId: string,
  { runIds, activeRunId }: ConversationState,
): UnfinishedRun[] {
  const others = records.filter(({ workId }) => workId !== conversationId);
  const activeIds = new Set([
    activeRunId,
    ...others.map((other) => (isRun(other) ? undefined : other.activeRunId)),
  ]);
  return (
    records
      .filter(isRun)
      // A called run is resumed with its caller.
      .filter(({ call }) => !call)
      .map((record) => ({
        record,
        isOwn: record.parentId === conversationId || runIds.includes(record.workId),
      }))
      .filter(({ record, isOwn }) => {
        if (record.phase === 'Completed' || activeIds.has(record.workId)) return false;
        return isOwn || record.phase !== 'Running';
      })
      .sort(
        (a, b) => Number(b.isOwn) - Number(a.isOwn) || b.record.updatedAt.localeCompare(a.record.updatedAt),
      )
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
function noteOf({ runs }: WorkView, runId: string): string | undefined {
  const run = runs.get(runId);
  if (!run?.workflow) return undefined;
  const { currentNodeId, artifacts } = run.state;
  return toRunNote({
    workflow: run.workflow.title || run.workflow.ref,
    phase: run.phase,
    currentNodeId,
    artifacts,
  });
}
