/**
 * Opens a conversation for this process: takes its lock, and then everything a person types. Commands are understood one
 * at a time; turns of a model go on meanwhile, so that one can be stopped and spoken to.
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
import { type Begin, beginOrRefuse, createTurnTaking, type EngineRun } from './input-queue.ts';
import { resolveWorkflow, toKnownWorkflows } from './load-workflow.ts';
import type { OpenRun } from './open-run.ts';
import type { AgentBinding, ThreadOptions } from './open-thread.ts';
import { resolveAgentBinding, toEnteredAgent } from './resolve-agent-binding.ts';
import { resumeRun } from './resume-run.ts';
import { requireCall } from './run-work.ts';
import type { Session, SessionStop } from './session.ts';
import { type StartInput, startPinnedRun } from './start-run.ts';

export interface SessionOptions extends ThreadOptions {
  /** Answers from now on, instead of the model the conversation had. */
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
  const turns = createTurnTaking(current);
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
  const understand = (text: string, surface: TargetSurface): CommandResolution | undefined =>
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
  const doCommand = async (
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
      choicesOf: isSameOnAll(current.thread.binding?.agent) ? undefined : surface,
      startRun: (binding, workflow, inputs) => start(binding, { workflow, inputs }, begin),
    });
  };
  /** What is said to a run closes the menu; the conversation's own log has to know. */
  const active = async (callId?: string): Promise<AssembledEngine> => {
    const found = await current.active();
    if (callId !== undefined) requireCall(found, callId);
    if (view.state.choosing && view.state.activeRunId !== undefined) current.emit({ type: 'menu.closed' });
    return found;
  };
  /** No path of the machine is in a log; the person knows where their folder is. */
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
      const understood = async (begin: Begin): Promise<EngineRun> => {
        // Choices are shown with the same numbers on every screen.
        const { surface = own } = view.state.choosing ?? {};
        const command = understand(text, surface);
        if (!command && text.trim() === '') return undefined;
        try {
          if (command) return await doCommand({ input: text, surface }, command, begin);
          const { engine } = await active();
          return beginOrRefuse(begin, () => engine.say(text));
        } catch (error) {
          if (!(error instanceof CrewError)) throw error;
          refusal = { code: error.code, message: withoutPaths(error.message) };
          current.emit({ type: 'error', ...refusal });
          return undefined;
        }
      };
      const stop = await turns.take(understood, { onAccepted: (taken) => onAccepted?.(withRefusal(taken)) });
      return withRefusal(stop);
    },
    withdraw: (inputSeq, taking) =>
      turns.take(async () => {
        const { engine } = await active();
        engine.withdraw(inputSeq);
        return undefined;
      }, taking),
    answer: (answers, { callId, onAccepted } = {}) =>
      turns.take(
        async (begin) => {
          const { engine } = await active(callId);
          return beginOrRefuse(begin, () => engine.answer(answers));
        },
        { onAccepted },
      ),
    approve: (word, { callId, onAccepted } = {}) =>
      turns.take(
        async (begin) => {
          const { engine } = await active(callId);
          return beginOrRefuse(begin, () => engine.approve(word));
        },
        { onAccepted },
      ),
    skipCall: (way, taking) =>
      turns.take(async (begin) => {
        const { engine } = await active();
        return beginOrRefuse(begin, () => engine.skipCall(way));
      }, taking),
    stop: () => turns.stop(),
    resume: ({ runId, ...taking } = {}) =>
      turns.take(async (begin) => {
        if (runId !== undefined) return resumeRun({ current, begin }, runId);
        const { engine } = await current.active();
        return begin(() => engine.resume());
      }, taking),
    enterAgent: (choice) =>
      turns.take(async () => {
        const binding = await resolveAgentBinding(choice, current.thread.binding, options);
        await current.turnTo(binding, { type: 'agent.entered', agent: toEnteredAgent(binding) });
        if (menu().length > 0) current.emit(toMenuShown(options.surface));
        return undefined;
      }),
    dismissAgent: () =>
      turns.take(async () => {
        const { agent } = view.state;
        if (agent) await current.turnTo(undefined, { type: 'agent.dismissed', agentId: agent.agentId });
        return undefined;
      }),
    startWorkflow: ({ workflow, input, documents, ...choice }, taking) =>
      turns.take(async (begin) => {
        const binding = await resolveAgentBinding(choice, current.thread.binding, options, (loaded) =>
          resolveWorkflow(loaded, workflow),
        );
        const inputs = input === undefined ? [] : [{ content: input }];
        return start(binding, { workflow, inputs, documents }, begin);
      }, taking),
    async setModel(choice) {
      await turns.take(async () => {
        if (isRunning()) throw new CrewError('RUN_NOT_READY', 'Stop the turn first, then change the model.');
        await current.setModel(await options.chooseModel(choice));
        return undefined;
      });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await turns.end();
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

/** A run of the conversation's own, made and entered. One that cannot be opened does not stay. */
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

function isSameOnAll(agent: AgentDefinition | undefined): boolean {
  const menu = agent?.menu ?? [];
  return (
    toMenuEntries(menu, 'web').length === menu.length &&
    toMenuEntries(menu, 'electron').length === menu.length
  );
}

/** With both menus where browsers and windows of our own show different ones. */
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
    ...(isSameOnAll(agent) ? {} : { surface, elsewhere: entriesOn(other) }),
  };
}

function toResolved(input: string, command: CommandResolution, menu: readonly MenuEntry[]): RunFact {
  if (command.kind === 'Chat') throw new Error('words are not a command');
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
