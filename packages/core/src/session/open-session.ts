/**
 * Opens a conversation for this process: takes its lock and accepts input. Commands run one at a time; turns of the
 * model run meanwhile, so that a person can stop them or send more input.
 */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import { modeOf } from '@crewagent/protocol/conversation-state';
import type { RunModel } from '@crewagent/protocol/model';
import type { Settings } from '@crewagent/protocol/settings';
import { calledStory } from '@crewagent/protocol/story/work-story';
import { CrewError } from '../base/crew-error.ts';
import { requireFolder } from '../store/project-store.ts';
import { type ConversationAddress, toAddress } from '../store/work-address.ts';
import { type ActiveConversation, openActiveConversation } from './conversation/active-conversation.ts';
import {
  type Begin,
  beginOrReject,
  createInputQueue,
  type EngineRun,
  type InputQueue,
} from './conversation/input-queue.ts';
import type { ThreadOptions } from './conversation/open-thread.ts';
import { createLineHandler, type OwnRun, receiver, toMenuFact } from './conversation/session-lines.ts';
import { resolveWorkflow } from './load-workflow.ts';
import type { ModelChoice } from './models/choose-model.ts';
import type { OpenRun } from './open-run.ts';
import { resolveAgentBinding, toEnteredAgent } from './resolve-agent-binding.ts';
import { resumeRun } from './resume-run.ts';
import type { Session, SessionStop } from './session.ts';
import { startPinnedRun } from './start-run.ts';

export interface SessionOptions extends ThreadOptions {
  /** Replaces the model of the conversation. */
  readonly model?: RunModel | undefined;
  readonly newId: () => string;
  settings(): Promise<Settings>;
  chooseModel(choice: ModelChoice): Promise<RunModel>;
}

export async function openSession(address: ConversationAddress, options: SessionOptions): Promise<Session> {
  const { store, model } = options;
  const lock = await store.works.lease(address);
  try {
    const found = await store.works.read(address);
    const record = model
      ? await store.works.update<ConversationRecord>(address, (latest) => ({ ...latest, model }))
      : found;
    const current = await openActiveConversation(record, options);
    return createSession(current, options, () => lock.release());
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function createSession(
  current: ActiveConversation,
  options: SessionOptions,
  unlock: () => Promise<void>,
): Session {
  const { view } = current;
  const queue = createInputQueue(current);
  const isRunning = (): boolean => current.thread.engine.isRunning || current.run?.engine.isRunning === true;
  const start = async (beginning: OwnRun, begin: Begin): Promise<EngineRun> => {
    const run = await startOwnRun(current, beginning, options);
    return begin(() => run.engine.start());
  };
  const lines = createLineHandler(current, { isRunning, store: options.store, startRun: start });

  let isClosed = false;
  return {
    ...createReplyCommands(current, queue),
    get record() {
      return current.record;
    },
    projectPath: current.projectPath,
    view,
    get mode() {
      return modeOf(view.state);
    },
    get isRunning() {
      return isRunning();
    },
    get activeRunId() {
      return view.state.activeRunId;
    },
    get pending() {
      return calledStory(view).pending;
    },
    state: () => current.state(),
    menu: (surface = options.surface) => lines.menu(surface),
    changes(id) {
      const { thread, run, record } = current;
      if (id === record.workId) return thread.journal.list();
      return run?.find(id)?.journal.list();
    },
    subscribe: (listener) => current.subscribe(listener),
    async input(text, { onAccepted, surface = options.surface, speaker } = {}) {
      let refusal: SessionStop['refusal'];
      const withRefusal = (stop: SessionStop): SessionStop => (refusal ? { ...stop, refusal } : stop);
      const handle = async (begin: Begin): Promise<EngineRun> => {
        const handled = await lines.handle({ text, surface, speaker }, begin);
        refusal = handled.refusal;
        return handled.begun;
      };
      const stop = await queue.enqueue(handle, {
        onAccepted: (accepted) => onAccepted?.(withRefusal(accepted)),
      });
      return withRefusal(stop);
    },
    stop: () => queue.stop(),
    enterAgent: (choice) =>
      queue.enqueue(async () => {
        const binding = await resolveAgentBinding(choice, current.thread.binding, options);
        await current.switchAgent(binding, { type: 'agent.entered', agent: toEnteredAgent(binding) });
        if (lines.menu(options.surface).length > 0) current.emit(toMenuFact(binding.agent, options.surface));
        return undefined;
      }),
    dismissAgent: () =>
      queue.enqueue(async () => {
        const { agent } = view.state;
        if (agent) await current.switchAgent(undefined, { type: 'agent.dismissed', agentId: agent.agentId });
        return undefined;
      }),
    startWorkflow: ({ workflow, input, documents, ...choice }, enqueueOptions) =>
      queue.enqueue(async (begin) => {
        const binding = await resolveAgentBinding(choice, current.thread.binding, options, (loaded) =>
          resolveWorkflow(loaded, workflow),
        );
        const inputs = input === undefined ? [] : [{ content: input }];
        return start({ binding, workflow, inputs, documents }, begin);
      }, enqueueOptions),
    async setModel(choice) {
      await queue.enqueue(async () => {
        if (isRunning()) throw new CrewError('RUN_NOT_READY', 'Stop the turn first, then change the model.');
        await current.setModel(await options.chooseModel(choice));
        return undefined;
      });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await queue.close();
      try {
        await current.close();
      } finally {
        await unlock();
      }
    },
  };
}

/** Commands for the engine that is active when their turn in the queue comes. */
function createReplyCommands(
  current: ActiveConversation,
  queue: InputQueue,
): Pick<Session, 'withdraw' | 'answer' | 'approve' | 'waive' | 'skipCall' | 'stopQuestion' | 'resume'> {
  return {
    withdraw: (inputSeq, options) =>
      queue.enqueue(async () => {
        const { engine } = await receiver(current);
        engine.withdraw(inputSeq);
        return undefined;
      }, options),
    answer: (answers, { callId, speaker, onAccepted } = {}) =>
      queue.enqueue(
        async (begin) => {
          const { engine } = await receiver(current, callId);
          return beginOrReject(begin, () => engine.answer(answers, speaker));
        },
        { onAccepted },
      ),
    approve: (response, { callId, onAccepted } = {}) =>
      queue.enqueue(
        async (begin) => {
          const { engine } = await receiver(current, callId);
          return beginOrReject(begin, () => engine.approve(response));
        },
        { onAccepted },
      ),
    waive: (request, options) =>
      queue.enqueue(async (begin) => {
        const { engine } = await receiver(current);
        await engine.waive(request);
        return beginOrReject(begin, () => engine.resume());
      }, options),
    skipCall: (skipped, options) =>
      queue.enqueue(async (begin) => {
        const { engine } = await receiver(current);
        return beginOrReject(begin, () => engine.skipCall(skipped));
      }, options),
    stopQuestion: (callId, options) => {
      queue.cancel();
      return queue.enqueue(async () => {
        const { engine } = await current.active();
        await engine.stopQuestion(callId);
        return undefined;
      }, options);
    },
    resume: ({ runId, ...options } = {}) =>
      queue.enqueue(async (begin) => {
        if (runId !== undefined) return resumeRun({ current, begin }, runId);
        const { engine } = await current.active();
        return begin(() => engine.resume());
      }, options),
  };
}

/** Creates and enters a run of this conversation. A run that cannot be opened is deleted. */
async function startOwnRun(
  current: ActiveConversation,
  { binding, ...beginning }: OwnRun,
  options: SessionOptions,
): Promise<OpenRun> {
  const { workId: parentId, projectId, model, tools, limits } = current.record;
  await requireFolder(current.projectPath);
  const { record } = await startPinnedRun(
    { projectId, packageHash: binding.packageHash, loaded: binding.loaded },
    { ...beginning, agent: binding.agent.id, model, parentId },
    { ...options, settings: { ...(await options.settings()), tools, limits } },
  );
  let run: OpenRun;
  try {
    run = await current.openRun(record.workId, binding.loaded);
  } catch (error) {
    await options.store.works.remove(toAddress(record), []);
    throw error;
  }
  await current.enterRun(run);
  return run;
}
