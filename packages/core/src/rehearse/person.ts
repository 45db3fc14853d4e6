/**
 * The person in a rehearsal: answers questions and menus, approves what happens in the temp project, and waives what a rehearsal
 * cannot prove. A silent person says nothing that a model could take for an answer.
 */

import type { Answers } from '@crewagent/protocol/answers';
import { type CheckKind, type CheckResult, isUnmet } from '@crewagent/protocol/proof';
import { toStatus } from '@crewagent/protocol/status';
import type { Question } from '@crewagent/protocol/tools';
import { chosenOption, findMenu, leavingOptions, MENU_ID } from '../base/letter-menu.ts';
import type { ExecutionEngine } from '../engine/execution-engine.ts';
import type { StopPoint } from '../engine/stop-point.ts';

export interface MenuChoice {
  readonly nodeId: string;
  readonly option: string;
}

/** What a person has seen of a run and its called runs. */
export interface Seen {
  /** Transitions so far. */
  readonly moves: number;
  readonly lastReply: string;
  /** Checks that the last attempt to leave the current node did not meet. */
  readonly refused: readonly CheckResult[];
}

/** Undefined if the person has nothing to say. */
export type Respond = (
  engine: ExecutionEngine,
  stop: StopPoint,
  seen: Seen,
) => Promise<StopPoint | undefined>;

export interface PersonOptions {
  /** By node: options of letter menus that were chosen already; new ones are added. */
  readonly chosen?: Map<string, Set<string>>;
  readonly onChoice?: (choice: MenuChoice) => void;
  /** By node: what the person says first in each visit. */
  readonly answers?: ReadonlyMap<string, string> | undefined;
  /** Labels of the default edges of a node. With it the person chooses from a menu what leads on, and not each option once. */
  readonly defaultLabels?: ((nodeId: string) => readonly string[]) | undefined;
}

/** Messages without progress at one node before the run is given up. */
const MAX_MESSAGES_PER_VISIT = 3;
/** A letter menu is asked for again until each of its options was chosen. */
const MAX_QUESTIONS_PER_VISIT = 20;

export function createPerson({
  chosen = new Map(),
  onChoice,
  answers: given,
  defaultLabels,
}: PersonOptions = {}): Respond {
  let attempts = 0;
  let moves = 0;
  return async (engine, stop, seen) => {
    if (seen.moves > moves) {
      moves = seen.moves;
      attempts = 0;
    }
    if (await waiveUnprovable(engine, seen.refused)) return engine.resume();
    const { pending } = engine;
    const nodeId = engine.memory.state.currentNodeId;
    const chosenHere = chosen.get(nodeId) ?? new Set<string>();
    chosen.set(nodeId, chosenHere);
    const choose: Choose = (options) => nextOption(options, chosenHere, defaultLabels?.(nodeId));
    const isReply = toStatus(stop).kind === 'reply';
    const menu = isReply ? findMenu(seen.lastReply).map(({ code, text }) => `[${code}] ${text}`) : [];
    const isAsked = pending?.kind === 'question' || menu.length > 0;
    if (defaultLabels && attempts === 0) chosenHere.clear();
    if (++attempts > (isAsked ? MAX_QUESTIONS_PER_VISIT : MAX_MESSAGES_PER_VISIT)) return undefined;
    const words = attempts === 1 ? given?.get(nodeId) : undefined;
    if (words !== undefined && pending?.kind === 'question')
      return engine.answer(toAnswers(pending.questions, toOption(pending.questions, words)));
    if (words !== undefined && isReply) return engine.say(words);
    if (pending?.kind === 'question') {
      const answers = placeholderAnswers(pending.questions, choose);
      const option = answers[MENU_ID];
      if (typeof option === 'string') onChoice?.({ nodeId, option });
      return engine.answer(answers);
    }
    if (pending?.kind === 'approval') return engine.approve({ decision: 'once' });
    const option = choose(menu);
    if (option !== undefined) {
      onChoice?.({ nodeId, option });
      return engine.say(option.slice(1, option.indexOf(']')));
    }
    return isReply || stop.reason?.code === 'CONSUMED_FILE_MISSING'
      ? engine.say(PLACEHOLDER_MESSAGE)
      : undefined;
  };
}

/** Lets a run begin its steps without the files they consume, and approves; is asked nothing and says nothing. */
export const respondSilently: Respond = async (engine, stop) => {
  if (engine.pending?.kind === 'approval') return engine.approve({ decision: 'once' });
  if (stop.reason?.code !== 'CONSUMED_FILE_MISSING') return undefined;
  await engine.waive({ reason: 'A rehearsal goes on without this file.' });
  return engine.resume();
};

const UNPROVABLE: ReadonlySet<CheckKind> = new Set<CheckKind>(['verify', 'schema']);

/** A rehearsal runs no commands and does not understand schemas. False if something else is missing, too. */
export function isUnprovable(checks: readonly CheckResult[]): boolean {
  return checks.length > 0 && checks.every(({ kind }) => UNPROVABLE.has(kind));
}

async function waiveUnprovable(
  { waive }: ExecutionEngine,
  refused: readonly CheckResult[],
): Promise<boolean> {
  const checks = refused.filter(isUnmet);
  if (!isUnprovable(checks)) return false;
  for (const check of new Set(checks.map(({ id }) => id)))
    await waive({ check, reason: 'A rehearsal cannot prove this.' });
  return true;
}

/** Sent when a run waits for a message without a question. */
const PLACEHOLDER_MESSAGE = 'Placeholder message of a rehearsal; continue.';

/** An option of a letter menu. */
type Choose = (options: readonly string[]) => string | undefined;

export function placeholderAnswers(
  questions: readonly Question[],
  choose: Choose = (options) => nextOption(options, new Set()),
): Answers {
  return Object.fromEntries(questions.map((question) => [question.id, placeholderAnswer(question, choose)]));
}

/** A value for the only question, or values by id; what is left out gets a placeholder. */
export function toAnswers(questions: readonly Question[], answer: unknown): Answers {
  const isById = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
  const [only] = questions;
  const given = isById ? answer : only ? { [only.id]: answer } : {};
  return { ...placeholderAnswers(questions), ...given };
}

/** The option of a letter menu that the words name, by its letter or its text; otherwise the words. */
function toOption([only]: readonly Question[], words: string): string {
  const { options = [] } = only ?? {};
  const code = chosenOption(findMenu(options.join('\n')), words)?.code;
  return options.find((option) => code !== undefined && option.startsWith(`[${code}]`)) ?? words;
}

/**
 * The options of a letter menu one after the other, the new one is added to `chosen`: those that lead on last, or with `labels`
 * first, before them those with a label.
 */
function nextOption(
  options: readonly string[],
  chosen: Set<string>,
  labels?: readonly string[],
): string | undefined {
  const menu = findMenu(options.join('\n'));
  const onward = new Set(leavingOptions(menu, []));
  const rankOf = (option: string): number => {
    const found = chosenOption(menu, option);
    if (!found) return 1;
    if (labels?.some((label) => chosenOption([found], label) !== undefined)) return 0;
    return onward.has(found) === (labels === undefined) ? 2 : 1;
  };
  const ordered = options.toSorted((one, other) => rankOf(one) - rankOf(other));
  const next = ordered.find((option) => !chosen.has(option)) ?? ordered.at(-1);
  if (next !== undefined) chosen.add(next);
  return next;
}

function placeholderAnswer({ id, type, options = [], schema }: Question, choose: Choose): unknown {
  switch (type) {
    case 'text':
      return `Placeholder answer to ${id}`;
    case 'choice':
      return id === MENU_ID ? choose(options) : options[0];
    case 'multi':
      return options.slice(0, 1);
    case 'confirm':
      return true;
    case 'form':
      return placeholderForm(schema);
  }
}

/** Every field of a flat form, by type; nested objects are empty. */
function placeholderForm(schema: Question['schema']): Record<string, unknown> {
  const fields = schema?.properties;
  if (typeof fields !== 'object' || fields === null) return {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]: [string, unknown]) => [name, placeholderField(name, field)]),
  );
}

function placeholderField(name: string, field: unknown): unknown {
  const { type, enum: values } = (typeof field === 'object' && field !== null ? field : {}) as {
    readonly type?: unknown;
    readonly enum?: unknown;
  };
  if (Array.isArray(values) && values.length > 0) return values[0] as unknown;
  switch (type) {
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return `Placeholder answer to ${name}`;
  }
}
