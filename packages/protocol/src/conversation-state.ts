/**
 * The current addressee of a conversation, folded from its log: an agent, a run, a script, or the plain model.
 */
import type { TargetSurface } from './commands.ts';
import type { ConversationKind, EnteredAgent } from './conversation.ts';
import type { RunEvent } from './events.ts';

/** `run`: input goes to a run or a script, except for the runtime's own commands. */
export type SessionMode = 'agent' | 'run' | 'chat';

export interface ConversationState {
  readonly kind: ConversationKind;
  readonly agent: EnteredAgent | undefined;
  readonly activeRunId: string | undefined;
  readonly script: { readonly path: string } | undefined;
  /** All runs of the conversation, in the order they were started. */
  readonly runIds: readonly string[];
  /** Set while a menu or choices are open: the next number refers to them. */
  readonly choosing: Choosing | undefined;
}

interface Choosing {
  readonly rest: string | undefined;
  /** Runs that can be resumed, in the order of their numbers. */
  readonly runIds?: readonly string[];
  /** The surface whose numbers the choices have; undefined for a menu, which each surface numbers itself. */
  readonly surface?: TargetSurface;
}

export const EMPTY_CONVERSATION_STATE: ConversationState = {
  kind: 'chat',
  agent: undefined,
  activeRunId: undefined,
  script: undefined,
  runIds: [],
  choosing: undefined,
};

export function modeOf({ agent, activeRunId, script }: ConversationState): SessionMode {
  if (activeRunId !== undefined || script) return 'run';
  return agent ? 'agent' : 'chat';
}

export function foldConversationState(state: ConversationState, event: RunEvent): ConversationState {
  switch (event.type) {
    case 'conversation.created':
      return { ...state, kind: event.kind };
    // The log of a standalone run.
    case 'run.created':
      return { ...state, kind: 'workflow' };
    case 'agent.entered':
      return { ...EMPTY_CONVERSATION_STATE, kind: 'agent', agent: event.agent, runIds: state.runIds };
    case 'agent.dismissed':
      return { ...EMPTY_CONVERSATION_STATE, kind: 'chat', runIds: state.runIds };
    case 'run.entered': {
      const { enteredRunId } = event;
      const runIds = state.runIds.includes(enteredRunId) ? state.runIds : [...state.runIds, enteredRunId];
      const kind = state.agent ? 'agent' : 'workflow';
      return { ...state, kind, activeRunId: enteredRunId, script: undefined, runIds, choosing: undefined };
    }
    case 'run.left':
      return state.activeRunId === event.leftRunId ? { ...state, activeRunId: undefined } : state;
    case 'script.entered':
      return { ...state, script: { path: event.path }, activeRunId: undefined, choosing: undefined };
    case 'script.left':
      return { ...state, script: undefined };
    case 'menu.shown':
      return { ...state, choosing: { rest: undefined } };
    case 'choice.offered':
      return {
        ...state,
        choosing: {
          rest: event.rest,
          ...(event.runIds ? { runIds: event.runIds } : {}),
          surface: event.surface,
        },
      };
    case 'command.resolved':
    case 'menu.closed':
    case 'question.answered':
    case 'approval.resolved':
      return { ...state, choosing: undefined };
    case 'input.queued':
      return event.purpose ? state : { ...state, choosing: undefined };
    default:
      return state;
  }
}
