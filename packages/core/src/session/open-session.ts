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
import { type ConversationAddress, toAddress } from '../store/layout.ts';
import { takeWorkLock } from '../store/work-lock.ts';
import { readWork, updateWork } from '../store/work-record.ts';
import { deleteWork } from '../store/work-store.ts';
import { type AssembledEngine, requireFolder } from './assemble-engine.ts';
import { carryOut } from './carry-out.ts';
import type { ModelChoice } from './choose-model.ts';
import { choosePartner, toEnteredAgent } from './choose-partner.ts';
import { resolveWorkflow, toKnownWorkflows } from './load-workflow.ts';
import type { OpenRun } from './open-run.ts';
import type { Partner, TalkOptions } from './open-talk.ts';
import { resumeRun } from './resume-run.ts';
import { requireCall } from './run-work.ts';
import type { Session, SessionStop } from './session.ts';
import { openStage, type Stage } from './stage.ts';
import { type StartInput, startPinnedRun } from './start-run.ts';
import { type Begin, beginOrRefuse, createTurnTaking, type Pump } from './turn-taking.ts';

export interface SessionOptions extends TalkOptions {
  /** Answers from now on, instead of the model the conversation had. */
  readonly model?: RunModel | undefined;
  readonly newId: () => string;
  settings(): Promise<Settings>;
  chooseModel(choice: ModelChoice): Promise<RunModel>;
}

export async function openSession(address: ConversationAddress, options: SessionOptions): Promise<Session> {
  const { store, model } = options;
  const lock = await takeWorkLock(store, address);
  try {
    const found = await readWork(store, address);
    const record = model
      ? await updateWork<ConversationRecord>(store, address, (latest) => ({ ...latest, model }))
      : found;
    const stage = await openStage(record, options);
    return createSession(stage, options, () => lock.release());
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function createSession(stage: Stage, options: SessionOptions, unlock: () => Promise<void>): Session {
  const { view } = stage;
  const turns = createTurnTaking(stage);
  const stuck = new Set<string>();
  const isRunning = (): boolean => stage.talk.engine.isRunning || stage.run?.engine.isRunning === true;

  const menu = (surface = options.surface) => {
    const { partner } = stage.talk;
    return partner ? toMenuEntries(partner.agent.menu ?? [], surface) : [];
  };
  const routerOf = ({ agent, loaded }: Partner, surface: TargetSurface): RouterContext => ({
    agent,
    workflows: toKnownWorkflows(loaded.workflows),
    surface,
    artifactsDir: stage.record.tools.artifactsDir,
  });
  const understand = (text: string, surface: TargetSurface): CommandResolution | undefined =>
    understandLine(text, {
      state: view.state,
      router: stage.talk.partner && routerOf(stage.talk.partner, surface),
      isBusy: isRunning() || isUnanswered(stage.talk.engine.memory.pending),
    });
  const toMenuShown = (surface: TargetSurface): RunFact => toMenuFact(stage.talk.partner?.agent, surface);

  const start = async (partner: Partner, beginning: Omit<OwnRun, 'partner'>, begin: Begin): Promise<Pump> => {
    const run = await startOwnRun(stage, { partner, ...beginning }, options);
    return begin(() => run.engine.start());
  };
  const doCommand = async (
    { input, surface }: { readonly input: string; readonly surface: TargetSurface },
    command: CommandResolution,
    begin: Begin,
  ): Promise<Pump> => {
    stage.emit(toResolved(input, command, menu(surface)));
    return carryOut(command, {
      stage,
      begin,
      stuck,
      menu: () => toMenuShown(surface),
      choicesOf: isSameOnAll(stage.talk.partner?.agent) ? undefined : surface,
      startRun: (partner, workflow, inputs) => start(partner, { workflow, inputs }, begin),
    });
  };
  /** What is said to a run closes the menu; the conversation's own log has to know. */
  const active = async (callId?: string): Promise<AssembledEngine> => {
    const found = await stage.active();
    if (callId !== undefined) requireCall(found, callId);
    if (view.state.choosing && view.state.activeRunId !== undefined) stage.emit({ type: 'menu.closed' });
    return found;
  };
  /** No path of the machine is in a log; the person knows where their folder is. */
  const withoutPaths = (message: string): string =>
    message.replaceAll(stage.projectPath, '@project').replaceAll(options.store.root, 'the store');

  let isClosed = false;
  return {
    get record() {
      return stage.record;
    },
    projectPath: stage.projectPath,
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
    rest: () => stage.rest(),
    menu,
    changes(id) {
      const { talk, run, record } = stage;
      if (id === record.workId) return talk.journal.list();
      return run?.record.workId === id ? run.journal.list() : undefined;
    },
    subscribe: (listener) => stage.subscribe(listener),
    async input(text, { onTaken, surface: own = options.surface } = {}) {
      let refusal: SessionStop['refusal'];
      const withRefusal = (stop: SessionStop): SessionStop => (refusal ? { ...stop, refusal } : stop);
      const understood = async (begin: Begin): Promise<Pump> => {
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
          stage.emit({ type: 'error', ...refusal });
          return undefined;
        }
      };
      const stop = await turns.take(understood, { onTaken: (taken) => onTaken?.(withRefusal(taken)) });
      return withRefusal(stop);
    },
    answer: (answers, { callId, onTaken } = {}) =>
      turns.take(
        async (begin) => {
          const { engine } = await active(callId);
          return beginOrRefuse(begin, () => engine.answer(answers));
        },
        { onTaken },
      ),
    approve: (word, { callId, onTaken } = {}) =>
      turns.take(
        async (begin) => {
          const { engine } = await active(callId);
          return beginOrRefuse(begin, () => engine.approve(word));
        },
        { onTaken },
      ),
    stop: () => turns.stop(),
    resume: ({ runId, ...taking } = {}) =>
      turns.take(async (begin) => {
        if (runId !== undefined) return resumeRun({ stage, begin }, runId);
        const { engine } = await stage.active();
        return begin(() => engine.resume());
      }, taking),
    enterAgent: (choice) =>
      turns.take(async () => {
        const partner = await choosePartner(choice, stage.talk.partner, options);
        await stage.turnTo(partner, { type: 'agent.entered', agent: toEnteredAgent(partner) });
        if (menu().length > 0) stage.emit(toMenuShown(options.surface));
        return undefined;
      }),
    dismissAgent: () =>
      turns.take(async () => {
        const { agent } = view.state;
        if (agent) await stage.turnTo(undefined, { type: 'agent.dismissed', agentId: agent.agentId });
        return undefined;
      }),
    startWorkflow: ({ workflow, input, documents, ...choice }, taking) =>
      turns.take(async (begin) => {
        const partner = await choosePartner(choice, stage.talk.partner, options, (loaded) =>
          resolveWorkflow(loaded, workflow),
        );
        const inputs = input === undefined ? [] : [{ content: input }];
        return start(partner, { workflow, inputs, documents }, begin);
      }, taking),
    async setModel(choice) {
      await turns.take(async () => {
        if (isRunning()) throw new CrewError('RUN_NOT_READY', 'Stop the turn first, then change the model.');
        await stage.setModel(await options.chooseModel(choice));
        return undefined;
      });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await turns.end();
      try {
        await stage.close();
      } finally {
        await unlock();
      }
    },
  };
}

interface OwnRun {
  readonly partner: Partner;
  readonly workflow: string | undefined;
  readonly inputs: readonly StartInput[];
  readonly documents?: readonly string[] | undefined;
}

/** A run of the conversation's own, made and entered. One that cannot be opened does not stay. */
async function startOwnRun(
  stage: Stage,
  { partner, ...beginning }: OwnRun,
  options: SessionOptions,
): Promise<OpenRun> {
  const { workId: parentId, projectId, model, tools, limits } = stage.record;
  await requireFolder(stage.projectPath);
  const { record } = await startPinnedRun(
    { projectId, packageHash: partner.packageHash, loaded: partner.loaded },
    { ...beginning, agent: partner.agent.id, model, parentId },
    { ...options, settings: { ...(await options.settings()), tools, limits } },
  );
  let run: OpenRun;
  try {
    run = await stage.openRun(record.workId, partner.loaded);
  } catch (error) {
    await deleteWork(options.store, toAddress(record), []);
    throw error;
  }
  await stage.enterRun(run);
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
