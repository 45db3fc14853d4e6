/**
 * Whether a typed line is a command, and which: depends on whom a person talks to and what was put before them. Pure.
 */
import type { CommandResolution, MatchedBy } from '@crewagent/protocol/commands';
import { type ConversationState, modeOf } from '@crewagent/protocol/conversation-state';
import { type RouterContext, resolveCommand, resolveGlobalCommand } from './command-router.ts';
import { toKey } from './folded-text.ts';

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
  const run = isBusy ? undefined : chooseRun(text, choosing?.runIds ?? []);
  if (run) return run;
  if (router && modeOf(state) === 'agent' && !isBusy) return chosenFrom(router, text, choosing?.rest);
  const global = resolveGlobalCommand(text, { isInRun: modeOf(state) === 'run' });
  if (global || !router) return global;
  // A script has no end that anybody sees: the name of another item in full ends it.
  if (state.script && !isBusy && !choosing) return chosenByName(router, text);
  if (!choosing) return undefined;
  // The menu was opened inside a run: what it names exactly is chosen, all else is for the run.
  const chosen = chosenFrom(router, text, choosing.rest);
  return chosen?.confidence === 'exact' && chosen.matchedBy !== 'global' ? chosen : undefined;
}

/** Numbers and codes are answers to what the script asks. */
function chosenByName(router: RouterContext, text: string): CommandResolution | undefined {
  const command = resolveCommand(text, router);
  const isName = command.confidence === 'exact' && NAMES.has(command.matchedBy);
  return isName && toKey(text).length >= SHORTEST_NAME ? command : undefined;
}

const NAMES: ReadonlySet<MatchedBy> = new Set(['trigger', 'cmd', 'alias', 'target']);
const SHORTEST_NAME = 4;

/** A number typed after runs were offered. */
function chooseRun(text: string, runIds: readonly string[]): CommandResolution | undefined {
  const key = toKey(text);
  const runRef = /^[0-9]{1,3}$/.test(key) ? runIds[Number(key) - 1] : undefined;
  if (runRef === undefined) return undefined;
  const reason = `Run ${key} was chosen by its number.`;
  return { kind: 'ResumeRun', runRef, confidence: 'exact', matchedBy: 'number', reason };
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
