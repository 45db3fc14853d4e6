/**
 * The CommandRouter: what a line typed to an agent means. A number, a name, a command of the runtime's own, words that
 * occur in the menu, else talk; in this order, the same for the same input, without asking a model. Pure, never throws.
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
  /** Where `{artifacts-root}` leads, below the project. */
  readonly artifactsDir: string;
}

/** While no run is under way; in a run, use `resolveGlobalCommand`. */
export function resolveCommand(text: string, context: RouterContext): CommandResolution {
  const said = readInput(text);
  if (said.key === '' && said.rest === undefined)
    return { kind: 'ShowMenu', confidence: 'exact', matchedBy: 'empty', reason: 'Nothing was typed.' };
  const menu = toVisibleMenu(context.agent.menu ?? [], context.surface);
  const listed = matchNumber(said.key, menu);
  if (listed) return settle(listed, said, context);
  if (/^[0-9]+$/.test(said.key) && menu.length > 0) return askForNumber(said, menu);
  const named = matchName(said.key, menu);
  if (named) return settle(named, said, context);
  const global =
    resolveGlobalCommand(text) ??
    (BARE_COMMANDS.has(said.key) ? resolveGlobalCommand(`/${text}`) : undefined);
  if (global) return global;
  const target = matchTarget(said.key, menu, (item) => targetNamesOf(item, context));
  if (target) return settle(target, said, context);
  const likely = matchWords(said.key, menu);
  if (likely) return settle(likely, said, context);
  return {
    kind: 'Chat',
    confidence: 'low',
    matchedBy: 'none',
    reason: `Nothing in the menu matches${hintOf(menu)}.`,
  };
}

/**
 * A command of the runtime's own, alone and with a `/`; outside of runs with a `*` as well. Undefined for everything else. The
 * key of `/` types `、` on Chinese keyboards.
 */
export function resolveGlobalCommand(text: string, { isInRun = false } = {}): ResolvedCommand | undefined {
  const { line, rest } = readInput(text);
  const [, sign = '', word = ''] = /^([*/、])([a-z]{1,20}|\p{sc=Han}{1,4})$/u.exec(fold(line)) ?? [];
  const [, resumeSign = '', runRef] = RESUME.exec(fold(line)) ?? [];
  if (runRef !== undefined && rest === undefined && !(isInRun && resumeSign === '*'))
    return {
      kind: 'ResumeRun',
      runRef,
      confidence: 'exact',
      matchedBy: 'global',
      reason: 'A run is resumed.',
    };
  const name = isInRun && sign === '*' ? undefined : findGlobalCommand(word);
  if (name === undefined || rest !== undefined) return undefined;
  const found = {
    confidence: 'exact',
    matchedBy: 'global',
    reason: `"${word}" is a command of the runtime.`,
  } as const;
  return toBuiltinCommand(name, found);
}

/** With the number or the id of a run; no space is left behind a Chinese name. */
const RESUME = /^([*/、])(?:resume |(?:继续|恢复) ?)([0-9a-f][0-9a-f-]{0,35})$/u;

interface Said {
  /** The first line. */
  readonly line: string;
  /** The line as it is compared; empty when nothing visible was typed. */
  readonly key: string;
  readonly rest?: string;
}

function readInput(text: string): Said {
  const said = text.replace(/^[\s\p{Cc}\p{Cf}]+/u, '').trimEnd();
  const end = said.search(/[\r\n\u2028\u2029]/);
  const line = end === -1 ? said : said.slice(0, end);
  const rest = end === -1 ? '' : said.slice(end).replace(/^(?:\r\n|[\r\n\u2028\u2029])/, '');
  return { line, key: toKey(line), ...(rest === '' ? {} : { rest }) };
}

/** One hit is the command; several are a question. */
function settle({ hits, confidence }: Match, said: Said, context: RouterContext): CommandResolution {
  const [hit, ...others] = hits;
  const rest = said.rest === undefined ? {} : { rest: said.rest };
  if (hit && others.length === 0) {
    const reason = explain(hit.by, said.line, hit.item.index, confidence === 'exact');
    return toCommand(
      hit,
      { confidence, matchedBy: hit.by, reason, ...rest },
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
    reason: `"${toShown(said.line)}" fits ${hits.length} entries; choose one by its number.`,
    candidates: hits.map(({ item, handler }) => toCandidate(item, handler)),
    ...rest,
  };
}

function askForNumber({ line, rest }: Said, menu: readonly VisibleItem[]): CommandResolution {
  return {
    kind: 'ClarifyChoice',
    confidence: 'low',
    matchedBy: 'number',
    reason: `There is no item ${toShown(line, 20)}; choose a number from 1 to ${menu.length}.`,
    candidates: menu.map((item) => toCandidate(item)),
    ...(rest === undefined ? {} : { rest }),
  };
}

/** What the target of an item is called: the id and the title of its workflow. */
function targetNamesOf(target: MenuTarget, { workflows, artifactsDir }: RouterContext): readonly string[] {
  const workflow = findTargetWorkflow(target, { workflows, promptIds: NO_PROMPTS, artifactsDir });
  return workflow ? [workflow.id, workflow.title].filter((name) => name !== undefined) : [];
}

const NO_PROMPTS: ReadonlySet<string> = new Set();

const PLACES: Readonly<Partial<Record<MatchedBy, string>>> = {
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
  return `"${toShown(line)}" ${verb} ${PLACES[by] ?? 'the description'} of item ${index}.`;
}

function hintOf(menu: readonly VisibleItem[]): string {
  return menu.length === 0 ? '' : `; type a number from 1 to ${menu.length} or a trigger to choose`;
}
