/**
 * Opens a conversation for this process: takes its lock and accepts input. Commands run one at a time; turns of the
 * model run meanwhile, so that a person can stop them or send more input.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { CommandResolution, MenuEntry, TargetSurface } from '@crewagent/protocol/commands';
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import { modeOf } from '@crewagent/protocol/conversation-state';
import type { RunFact } from '@crewagent/protocol/events';
import type { RunModel } from '@crewagent/protocol/model';
import type { Settings } from '@crewagent/protocol/settings';
import type { RouterContext } from '../agents/command-router.ts';
import { toMenuEntries } from '../agents/menu.ts';
import { understandLine } from '../agents/understand-line.ts';
import { CrewError } from '../base/crew-error.ts';
import { isUnanswered } from '../engine/run-memory.ts';
import { type ConversationAddress, toAddress } from '../store/work-address.ts';
import { type ActiveConversation, openActiveConversation } from './active-conversation.ts';
import { type AssembledEngine, requireFolder } from './assemble-engine.ts';
import type { ModelChoice } from './choose-model.ts';
import { dispatchCommand } from './dispatch-command.ts';
import { type Begin, beginOrReject, createInputQueue, type EngineRun } from './input-queue.ts';
import { resolveWorkflow, toKnownWorkflows } from './load-workflow.ts';
import type { OpenRun } from './open-run.ts';
import type { AgentBinding, ThreadOptions } from './open-thread.ts';
import { resolveAgentBinding, toEnteredAgent } from './resolve-agent-binding.ts';
import { resumeRun } from './resume-run.ts';
import { requireCall } from './run-work.ts';
import type { Session, SessionStop } from './session.ts';
import { type StartInput, startPinnedRun } from './start-run.ts';

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
  const stuck = new Set<string>();
  const isRunning = (): boolean => current.thread.engine.isRunning || current.run?.engine.isRunning === true;

  const menu = (surface = options.surface) => {
    const { binding } = current.thread;
    return binding ? toMenuEntries(binding.agent.menu ?? [], surface) : [];
  };
  const routerOf = ({ agent, loaded }: AgentBinding, surface: TargetSurface): RouterContext => ({
    agent,
    workflows: toKnownWorkflows(loaded.workflows),
    surface,
    artifactsDir: current.record.tools.artifactsDir,
  });
  const resolveCommand = (text: string, surface: TargetSurface): CommandResolution | undefined =>
    understandLine(text, {
      state: view.state,
      router: current.thread.binding && routerOf(current.thread.binding, surface),
      isBusy: isRunning() || isUnanswered(current.thread.engine.memory.pending),
    });
  const toMenuShown = (surface: TargetSurface): RunFact => toMenuFact(current.thread.binding?.agent, surface);

  const start = async (
    binding: AgentBinding,
    beginning: Omit<OwnRun, 'binding'>,
    begin: Begin,
  ): Promise<EngineRun> => {
    const run = await startOwnRun(current, { binding, ...beginning }, options);
    return begin(() => run.engine.start());
  };
  const runCommand = async (
    { input, surface }: { readonly input: string; readonly surface: TargetSurface },
    command: CommandResolution,
    begin: Begin,
  ): Promise<EngineRun> => {
    current.emit(toResolved(input, command, menu(surface)));
    return dispatchCommand(command, {
      current,
      begin,
      stuck,
      menu: () => toMenuShown(surface),
      choicesOf: isSameOnAllSurfaces(current.thread.binding?.agent) ? undefined : surface,
      startRun: (binding, workflow, inputs) => start(binding, { workflow, inputs }, begin),
    });
  };
  /** Input to a run closes the menu, and only the conversation's own log records that. */
  const active = async (callId?: string): Promise<AssembledEngine> => {
    const found = await current.active();
    if (callId !== undefined) requireCall(found, callId);
    if (view.state.choosing && view.state.activeRunId !== undefined) current.emit({ type: 'menu.closed' });
    return found;
  };
  /** Logs contain no paths of this machine. */
  const withoutPaths = (message: string): string =>
    message.replaceAll(current.projectPath, '@project').replaceAll(options.store.root, 'the store');

  let isClosed = false;
  return {
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
    rest: () => current.rest(),
    menu,
    changes(id) {
      const { thread, run, record } = current;
      if (id === record.workId) return thread.journal.list();
      return run?.find(id)?.journal.list();
    },
    subscribe: (listener) => current.subscribe(listener),
    async input(text, { onAccepted, surface: own = options.surface } = {}) {
      let refusal: SessionStop['refusal'];
      const withRefusal = (stop: SessionStop): SessionStop => (refusal ? { ...stop, refusal } : stop);
      const handle = async (begin: Begin): Promise<EngineRun> => {
        // Offered choices keep the numbers of the surface they were offered on.
        const { surface = own } = view.state.choosing ?? {};
        const command = resolveCommand(text, surface);
        if (!command && text.trim() === '') return undefined;
        try {
          if (command) return await runCommand({ input: text, surface }, command, begin);
          const { engine } = await active();
          return beginOrReject(begin, () => engine.say(text));
        } catch (error) {
          if (!(error instanceof CrewError)) throw error;
          refusal = { code: error.code, message: withoutPaths(error.message) };
          current.emit({ type: 'error', ...refusal });
          return undefined;
        }
      };
      const stop = await queue.enqueue(handle, {
        onAccepted: (accepted) => onAccepted?.(withRefusal(accepted)),
      });
      return withRefusal(stop);
    },
    withdraw: (inputSeq, enqueueOptions) =>
      queue.enqueue(async () => {
        const { engine } = await active();
        engine.withdraw(inputSeq);
        return undefined;
      }, enqueueOptions),
    answer: (answers, { callId, onAccepted } = {}) =>
      queue.enqueue(
        async (begin) => {
          const { engine } = await active(callId);
          return beginOrReject(begin, () => engine.answer(answers));
        },
        { onAccepted },
      ),
    approve: (response, { callId, onAccepted } = {}) =>
      queue.enqueue(
        async (begin) => {
          const { engine } = await active(callId);
          return beginOrReject(begin, () => engine.approve(response));
        },
        { onAccepted },
      ),
    skipCall: (way, enqueueOptions) =>
      queue.enqueue(async (begin) => {
        const { engine } = await active();
        return beginOrReject(begin, () => engine.skipCall(way));
      }, enqueueOptions),
    stop: () => queue.stop(),
    resume: ({ runId, ...enqueueOptions } = {}) =>
      queue.enqueue(async (begin) => {
        if (runId !== undefined) return resumeRun({ current, begin }, runId);
        const { engine } = await current.active();
        return begin(() => engine.resume());
      }, enqueueOptions),
    enterAgent: (choice) =>
      queue.enqueue(async () => {
        const binding = await resolveAgentBinding(choice, current.thread.binding, options);
        await current.switchAgent(binding, { type: 'agent.entered', agent: toEnteredAgent(binding) });
        if (menu().length > 0) current.emit(toMenuShown(options.surface));
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
        return start(binding, { workflow, inputs, documents }, begin);
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

interface OwnRun {
  readonly binding: AgentBinding;
  readonly workflow: string | undefined;
  readonly inputs: readonly StartInput[];
  readonly documents?: readonly string[] | undefined;
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

function isSameOnAllSurfaces(agent: AgentDefinition | undefined): boolean {
  const menu = agent?.menu ?? [];
  return (
    toMenuEntries(menu, 'web').length === menu.length &&
    toMenuEntries(menu, 'electron').length === menu.length
  );
}

/** Contains both menus if they differ between surfaces. */
function toMenuFact(agent: AgentDefinition | undefined, surface: TargetSurface): RunFact {
  const entriesOn = (shown: TargetSurface) =>
    toMenuEntries(agent?.menu ?? [], shown).map(({ handlers, ...entry }) => ({
      ...entry,
      handlers: [...handlers],
    }));
  const other = surface === 'web' ? 'electron' : 'web';
  return {
    type: 'menu.shown',
    agentId: agent?.id ?? '',
    entries: entriesOn(surface),
    ...(isSameOnAllSurfaces(agent) ? {} : { surface, elsewhere: entriesOn(other) }),
  };
}

function toResolved(input: string, command: CommandResolution, menu: readonly MenuEntry[]): RunFact {
  if (command.kind === 'Chat') throw new Error('chat is not a command');
  const { kind, confidence, reason, matchedMenuItemIndex: item } = command;
  const label = menu.find(({ index }) => index === item)?.label;
  return {
    type: 'command.resolved',
    input,
    kind,
    confidence,
    reason,
    ...(item === undefined ? {} : { item }),
    ...(label === undefined ? {} : { label }),
  };
}
