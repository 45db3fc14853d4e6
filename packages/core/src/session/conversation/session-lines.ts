/**
 * Handles a line that a person typed in a conversation: a command of the session or of the agent's menu, or a message for the
 * run or thread that is active.
 */

import type { AgentDefinition } from '@crewagent/protocol/agents';
import type { CommandResolution, MenuEntry, TargetSurface } from '@crewagent/protocol/commands';
import type { RunFact } from '@crewagent/protocol/events';
import type { Speaker } from '@crewagent/protocol/proof';
import { type RouterContext, understandLine } from '../../agents/command-router.ts';
import { toMenuEntries } from '../../agents/menu.ts';
import { CrewError } from '../../base/crew-error.ts';
import { isUnanswered } from '../../engine/run-memory.ts';
import type { Store } from '../../store/store.ts';
import type { AssembledEngine } from '../assemble-engine.ts';
import { toKnownWorkflows } from '../load-workflow.ts';
import { requireCall } from '../run-work.ts';
import type { SessionStop } from '../session.ts';
import type { StartInput } from '../start-run.ts';
import type { ActiveConversation } from './active-conversation.ts';
import { dispatchCommand } from './dispatch-command.ts';
import { type Begin, beginOrReject, type EngineRun } from './input-queue.ts';
import type { AgentBinding } from './open-thread.ts';

/** A run to start in the conversation. */
export interface OwnRun {
  readonly binding: AgentBinding;
  readonly workflow: string | undefined;
  readonly inputs: readonly StartInput[];
  readonly documents?: readonly string[] | undefined;
}

interface TypedLine {
  readonly text: string;
  readonly surface: TargetSurface;
  /** Who speaks for the person, who is not there. */
  readonly speaker?: Speaker | undefined;
}

interface HandledLine {
  readonly begun?: EngineRun;
  readonly refusal?: SessionStop['refusal'];
}

interface LineOptions {
  readonly store: Pick<Store, 'root'>;
  isRunning(): boolean;
  startRun(run: OwnRun, begin: Begin): Promise<EngineRun>;
}

export function createLineHandler(current: ActiveConversation, { store, isRunning, startRun }: LineOptions) {
  const { view } = current;
  const stuck = new Set<string>();

  /** Entries of the agent's menu; empty without an agent. */
  const menu = (surface: TargetSurface): readonly MenuEntry[] => {
    const { binding } = current.thread;
    return binding ? toMenuEntries(binding.agent.menu ?? [], surface) : [];
  };
  const routerOf = ({ agent, loaded }: AgentBinding, surface: TargetSurface): RouterContext => ({
    agent,
    workflows: toKnownWorkflows(loaded.workflows),
    surface,
    artifactsDir: current.record.tools.artifactsDir,
  });
  const resolveCommand = ({ text, surface }: TypedLine): CommandResolution | undefined =>
    understandLine(text, {
      state: view.state,
      router: current.thread.binding && routerOf(current.thread.binding, surface),
      isBusy: isRunning() || isUnanswered(current.thread.engine.memory.pending),
    });
  const runCommand = async (
    { text, surface }: TypedLine,
    command: CommandResolution,
    begin: Begin,
  ): Promise<EngineRun> => {
    current.emit(toResolved(text, command, menu(surface)));
    return dispatchCommand(command, {
      current,
      begin,
      stuck,
      menu: () => toMenuFact(current.thread.binding?.agent, surface),
      choicesOf: isSameOnAllSurfaces(current.thread.binding?.agent) ? undefined : surface,
      startRun: (binding, workflow, inputs) => startRun({ binding, workflow, inputs }, begin),
    });
  };
  /** Logs contain no paths of this machine. */
  const withoutPaths = (message: string): string =>
    message.replaceAll(current.projectPath, '@project').replaceAll(store.root, 'the store');

  return {
    menu,
    /** A line that cannot be executed emits an `error` event and is returned as a refusal. */
    async handle({ text, surface: own, speaker }: TypedLine, begin: Begin): Promise<HandledLine> {
      // Offered choices keep the numbers of the surface they were offered on.
      const { surface = own } = view.state.choosing ?? {};
      const command = resolveCommand({ text, surface });
      if (!command && text.trim() === '') return {};
      try {
        if (command) return { begun: await runCommand({ text, surface }, command, begin) };
        const { engine } = await receiver(current);
        return { begun: beginOrReject(begin, () => engine.say(text, speaker)) };
      } catch (error) {
        if (!(error instanceof CrewError)) throw error;
        const refusal = { code: error.code, message: withoutPaths(error.message) };
        current.emit({ type: 'error', ...refusal });
        return { refusal };
      }
    },
  };
}

/** The engine that receives input. Input to a run closes the menu, and only the conversation's own log records that. */
export async function receiver(current: ActiveConversation, callId?: string): Promise<AssembledEngine> {
  const found = await current.active();
  if (callId !== undefined) requireCall(found, callId);
  const { choosing, activeRunId } = current.view.state;
  if (choosing && activeRunId !== undefined) current.emit({ type: 'menu.closed' });
  return found;
}

function isSameOnAllSurfaces(agent: AgentDefinition | undefined): boolean {
  const menu = agent?.menu ?? [];
  return (
    toMenuEntries(menu, 'web').length === menu.length &&
    toMenuEntries(menu, 'electron').length === menu.length
  );
}

/** Contains both menus if they differ between surfaces. */
export function toMenuFact(agent: AgentDefinition | undefined, surface: TargetSurface): RunFact {
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
    item,
    label,
  };
}
