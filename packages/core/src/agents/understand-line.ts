/**
 * Whether a typed line is a command, and which: depends on whom a person talks to and what was put before them. Pure.
 */
import type { CommandResolution } from '@crewagent/protocol/commands';
import { type ConversationState, modeOf } from '@crewagent/protocol/conversation-state';
import { type RouterContext, resolveCommand, resolveGlobalCommand } from './command-router.ts';

export interface Situation {
  readonly state: ConversationState;
  /** Of the agent one talks to, if any. */
  readonly router: RouterContext | undefined;
  /** A turn goes on, or something waits to be answered: what is said is for that. */
  readonly isBusy: boolean;
}

/** Undefined where it is not a command but something to be said. */
export function understandLine(
  text: string,
  { state, router, isBusy }: Situation,
): CommandResolution | undefined {
  const { choosing } = state;
  if (router && modeOf(state) === 'agent' && !isBusy) return chosenFrom(router, text, choosing?.rest);
  const global = resolveGlobalCommand(text, { isInRun: modeOf(state) === 'run' });
  if (global || !router || !choosing) return global;
  // The menu was opened inside a run: what it names exactly is chosen, all else is for the run.
  const chosen = chosenFrom(router, text, choosing.rest);
  return chosen?.confidence === 'exact' && chosen.matchedBy !== 'global' ? chosen : undefined;
}

function chosenFrom(
  router: RouterContext,
  text: string,
  offeredRest: string | undefined,
): CommandResolution | undefined {
  const command = resolveCommand(text, router);
  if (command.kind === 'Chat') return undefined;
  // Lines that were typed below a name that fits several items go with the one that is chosen.
  const { rest = offeredRest } = command;
  return rest === undefined ? command : { ...command, rest };
}
