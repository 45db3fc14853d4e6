/**
 * The CommandRouter: decides whether a typed line is a command, and resolves a line typed to an agent. Tries a number, a name, a
 * command of the runtime, text that occurs in the menu, and else chat, in this order; deterministic, without a model. Pure, never
 * throws.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';
import {
  BARE_COMMANDS,
  type CommandResolution,
  findGlobalCommand,
  type MatchedBy,
  type ResolvedCommand,
  type TargetSurface,
} from '@crewagent/protocol/commands';
import { type ConversationState, modeOf } from '@crewagent/protocol/conversation-state';
import { fold } from '@crewagent/protocol/folded-text';
import { toKey, toShown } from './folded-text.ts';
import { type Match, matchName, matchNumber, matchTarget, matchWords } from './match-menu.ts';
import { type MenuTarget, toCandidate, toVisibleMenu, type VisibleItem } from './menu.ts';
import { findTargetWorkflow, type KnownWorkflow } from './resolve-refs.ts';
import { toBuiltinCommand, toCommand } from './to-command.ts';

export interface RouterContext {
  readonly agent: Pick<AgentDefinition, 'menu' | 'prompts'>;
  readonly workflows: readonly KnownWorkflow[];
  readonly surface: TargetSurface;
  /** Where `{artifacts-root}` points to, below the project. */
  readonly artifactsDir: string;
}

/** Use it outside of runs; in a run, use `resolveGlobalCommand`. */
export function resolveCommand(text: string, context: RouterContext): CommandResolution {
  const input = readInput(text);
  if (input.key === '' && input.rest === undefined)
    return { kind: 'ShowMenu', confidence: 'exact', matchedBy: 'empty', reason: 'The input is empty.' };
  const menu = toVisibleMenu(context.agent.menu ?? [], context.surface);
  const listed = matchNumber(input.key, menu);
  if (listed) return settle(listed, input, context);
  if (/^[0-9]+$/.test(input.key) && menu.length > 0) return askForNumber(input, menu);
  const named = matchName(input.key, menu);
  if (named) return settle(named, input, context);
  const global =
    resolveGlobalCommand(text) ??
    (BARE_COMMANDS.has(input.key) ? resolveGlobalCommand(`/${text}`) : undefined);
  if (global) return global;
  const target = matchTarget(input.key, menu, {
    all: context.workflows.flatMap(namesOf),
    of: (item) => targetNamesOf(item, context),
  });
  if (target) return settle(target, input, context);
  const likely = matchWords(input.key, menu);
  if (likely) return settle(likely, input, context);
  return {
    kind: 'Chat',
    confidence: 'low',
    matchedBy: 'none',
    reason: `Nothing in the menu matches${hintOf(menu)}.`,
  };
}

/**
 * Resolves a command of the runtime: alone and with a `/`, outside of runs also with a `*`; else undefined. Chinese keyboards
 * type `、` with the key of `/`.
 */
export function resolveGlobalCommand(text: string, { isInRun = false } = {}): ResolvedCommand | undefined {
  const { line, rest } = readInput(text);
  // Most lines are no command: V8 takes a millisecond to create the patterns below.
  if (!/^[*/、]/.test(line.normalize('NFKC'))) return undefined;
  const [, sign = '', word = ''] = /^([*/、])([a-z]{1,20}|\p{sc=Han}{1,4})$/u.exec(fold(line)) ?? [];
  const [, resumeSign = '', runRef] = RESUME.exec(fold(line)) ?? [];
  if (runRef !== undefined && rest === undefined && !(isInRun && resumeSign === '*'))
    return { kind: 'ResumeRun', runRef, confidence: 'exact', matchedBy: 'global', reason: 'Resumes a run.' };
  const name = isInRun && sign === '*' ? undefined : findGlobalCommand(word);
  if (name === undefined || rest !== undefined) return undefined;
  const reason = `"${word}" is a built-in command.`;
  return toBuiltinCommand(name, { confidence: 'exact', matchedBy: 'global', reason });
}

/** With the number or id of a run; a Chinese name may be followed directly by it. */
const RESUME = /^([*/、])(?:resume |(?:继续|恢复) ?)([0-9a-f][0-9a-f-]{0,35})$/u;

interface ParsedInput {
  /** The first line. */
  readonly line: string;
  /** The line, normalized for comparison; empty if nothing visible was typed. */
  readonly key: string;
  readonly rest?: string;
}

function readInput(text: string): ParsedInput {
  // Creating the pattern takes V8 a third of a millisecond, and hardly any line needs it.
  const visible = /^[!-~]/.test(text) ? text : text.replace(/^[\s\p{Cc}\p{Cf}]+/u, '');
  const trimmed = visible.trimEnd();
  const end = trimmed.search(/[\r\n\u2028\u2029]/);
  const line = end === -1 ? trimmed : trimmed.slice(0, end);
  const rest = end === -1 ? '' : trimmed.slice(end).replace(/^(?:\r\n|[\r\n\u2028\u2029])/, '');
  return { line, key: toKey(line), rest: rest || undefined };
}

/** A single hit is the command; several become a question. */
function settle({ hits, confidence }: Match, input: ParsedInput, context: RouterContext): CommandResolution {
  const [hit, ...others] = hits;
  const { rest } = input;
  if (hit && others.length === 0) {
    const reason = explain(hit.by, input.line, hit.item.index, confidence === 'exact');
    return toCommand(
      hit,
      { confidence, matchedBy: hit.by, reason, rest },
      {
        workflows: context.workflows,
        promptIds: new Set((context.agent.prompts ?? []).map(({ id }) => id)),
        artifactsDir: context.artifactsDir,
      },
    );
  }
  return {
    kind: 'ClarifyChoice',
    confidence,
    matchedBy: hit?.by ?? 'none',
    reason: `"${toShown(input.line)}" matches ${hits.length} entries; choose one by its number.`,
    candidates: hits.map(({ item, handler }) => toCandidate(item, handler)),
    rest,
  };
}

function askForNumber({ line, rest }: ParsedInput, menu: readonly VisibleItem[]): CommandResolution {
  return {
    kind: 'ClarifyChoice',
    confidence: 'low',
    matchedBy: 'number',
    reason: `There is no item ${toShown(line, 20)}; choose a number from 1 to ${menu.length}.`,
    candidates: menu.map((item) => toCandidate(item)),
    rest,
  };
}

/** The names of an item's target: id and title of its workflow. */
function targetNamesOf(target: MenuTarget, { workflows, artifactsDir }: RouterContext): readonly string[] {
  const workflow = findTargetWorkflow(target, { workflows, promptIds: NO_PROMPTS, artifactsDir });
  return workflow ? namesOf(workflow) : [];
}

function namesOf({ id, title }: KnownWorkflow): readonly string[] {
  return [id, title].filter((name) => name !== undefined);
}

const NO_PROMPTS: ReadonlySet<string> = new Set();

const FIELD_NAMES: Readonly<Partial<Record<MatchedBy, string>>> = {
  trigger: 'the trigger',
  cmd: 'the command',
  alias: 'another name',
  code: 'the code',
  handler: 'a choice',
  target: 'the name of the workflow',
};

function explain(by: MatchedBy, line: string, index: number, isExact: boolean): string {
  if (by === 'number') return `Item ${index} was chosen by its number.`;
  const verb = isExact ? 'is' : 'occurs in';
  return `"${toShown(line)}" ${verb} ${FIELD_NAMES[by] ?? 'the description'} of item ${index}.`;
}

function hintOf(menu: readonly VisibleItem[]): string {
  return menu.length === 0 ? '' : `; type a number from 1 to ${menu.length} or a trigger to choose`;
}

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
