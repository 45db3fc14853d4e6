/**
 * Decides whether a typed line is a command, and which: depends on the current addressee and the open menu or choices. Pure.
 */
import type { CommandResolution, MatchedBy } from '@crewagent/protocol/commands';
import { type ConversationState, modeOf } from '@crewagent/protocol/conversation-state';
import { type RouterContext, resolveCommand, resolveGlobalCommand } from './command-router.ts';
import { toKey } from './folded-text.ts';

export interface Situation {
  readonly state: ConversationState;
  /** Router of the current agent, if any. */
  readonly router: RouterContext | undefined;
  /** A turn is in progress, or a question is open: input goes there. */
  readonly isBusy: boolean;
}

/** Undefined if the line is not a command but input. */
export function understandLine(
  text: string,
  { state, router, isBusy }: Situation,
): CommandResolution | undefined {
  const { choosing } = state;
  const run = isBusy ? undefined : chooseRun(text, choosing?.runIds ?? []);
  if (run) return run;
  if (router && modeOf(state) === 'agent' && !isBusy) return resolveFromMenu(router, text, choosing?.rest);
  const global = resolveGlobalCommand(text, { isInRun: modeOf(state) === 'run' });
  if (global || !router) return global;
  // Nobody sees the end of a script, so the full name of another item ends it.
  if (state.script && !isBusy && !choosing) return resolveByName(router, text);
  if (!choosing) return undefined;
  // The menu was opened inside a run: only exact matches are chosen, all other input goes to the run.
  const chosen = resolveFromMenu(router, text, choosing.rest);
  return chosen?.confidence === 'exact' && chosen.matchedBy !== 'global' ? chosen : undefined;
}

/** Numbers and codes are answers to questions of the script. */
function resolveByName(router: RouterContext, text: string): CommandResolution | undefined {
  const command = resolveCommand(text, router);
  const isName = command.confidence === 'exact' && NAMES.has(command.matchedBy);
  return isName && toKey(text).length >= MIN_NAME_LENGTH ? command : undefined;
}

const NAMES: ReadonlySet<MatchedBy> = new Set(['trigger', 'cmd', 'alias', 'target']);
const MIN_NAME_LENGTH = 4;

/** Resolves a number that was typed after runs were offered. */
function chooseRun(text: string, runIds: readonly string[]): CommandResolution | undefined {
  const key = toKey(text);
  const runRef = /^[0-9]{1,3}$/.test(key) ? runIds[Number(key) - 1] : undefined;
  if (runRef === undefined) return undefined;
  const reason = `Run ${key} was chosen by its number.`;
  return { kind: 'ResumeRun', runRef, confidence: 'exact', matchedBy: 'number', reason };
}

function resolveFromMenu(
  router: RouterContext,
  text: string,
  offeredRest: string | undefined,
): CommandResolution | undefined {
  const command = resolveCommand(text, router);
  if (command.kind === 'Chat') return undefined;
  // Lines below an ambiguous name are sent with the item that is chosen.
  const { rest = offeredRest } = command;
  return rest === undefined ? command : { ...command, rest };
}
