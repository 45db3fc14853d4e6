/**
 * Values that a rehearsal gives to the variables of a step, and the output paths that result from them. Pure.
 */

import { fillVariables } from '@crewagent/protocol/fill-variables';
import { hasInvisible } from '@crewagent/protocol/plain-text';
import { segmentDanger } from '../../base/file-names.ts';
import { MENU_ID } from '../../base/letter-menu.ts';
import { type NodeFacts, toProjectPath } from '../../llm/request-facts.ts';
import type { JsonRecord } from '../../llm/untrusted-json.ts';
import { isTerminal } from './choose-edge.ts';
import { joinWords, toWords } from './name-words.ts';
import type { Step } from './step.ts';
import type { Answers } from './visit.ts';

export interface VariableFacts {
  readonly brief: NodeFacts;
  readonly step: Step;
  /** Values before the node is left. */
  readonly known: JsonRecord;
  readonly answers: Answers;
  /** Label of the chosen edge. */
  readonly label: string | undefined;
}

export function toVariables(facts: VariableFacts): Record<string, unknown> {
  const { brief, step } = facts;
  const names = step.setsVariables.filter((name) => name !== STATUS || isTerminal(brief));
  return Object.fromEntries(names.map((name) => [name, toSafeValue(name, facts)]));
}

const STATUS = 'workflowStatus';

/** Output paths with the new variable values. */
export function toOutputPaths({ brief, step, known }: VariableFacts, values: JsonRecord): string[] {
  const after = { ...known, ...values };
  const paths = brief.outputs.map((path, index) => {
    // The brief contains old values; a variable that this node changes must get its new value.
    const template = step.outputs[index];
    const isSame = template !== undefined && toProjectPath(fillVariables(template, known)) === path;
    const filled = isSame ? toProjectPath(fillVariables(template, after)) : fillVariables(path, after);
    return filled.endsWith('/') ? `${filled}rehearsal.md` : filled;
  });
  return [...new Set(paths)];
}

function toSafeValue(name: string, facts: VariableFacts): unknown {
  if (name === STATUS) return 'complete';
  const value = toValue(name, facts);
  return isPathPart(name, facts) && typeof value !== 'number' ? toFileName(value, name) : value;
}

function toValue(name: string, { brief, step, known, answers, label }: VariableFacts): unknown {
  const isCounter = isCounterName(name);
  if (brief.type === 'decision' && label !== undefined && !isCounter) return label;
  const stated = findStated(name, [...Object.values(answers.byId), ...answers.messages]);
  if (stated !== undefined) return stated;
  const answer = Object.hasOwn(answers.byId, name) ? answers.byId[name] : undefined;
  if (answer !== undefined && answer !== null && answer !== '') return answer;
  const isFirst = name === step.setsVariables.find((other) => other !== STATUS);
  const sole = isFirst ? soleAnswer(answers, step) : undefined;
  if (sole) return sole;
  const before = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!isCounter)
    return before === undefined || before === null || before === '' ? placeholderFor(name) : before;
  return typeof before === 'number' ? before + 1 : 1;
}

/** The value after `name:` in what a person said: one value to a line, or separated by semicolons. */
export function findStated(name: string, said: readonly unknown[]): string | undefined {
  const parts = said.flatMap((words) => (typeof words === 'string' ? words.split(/[\n;；]/) : []));
  for (const part of parts) {
    const [, key, value = ''] = /^([A-Za-z_][\w-]{0,99})\s*[:：=](.*)$/.exec(part.trim()) ?? [];
    if (key === name && value.trim() !== '') return value.trim();
  }
  return undefined;
}

/** `storyNum`, `reviewRound`, `num_items`, but not `country`. */
function isCounterName(name: string): boolean {
  const words = toWords(name);
  return ['num', 'count', 'round'].includes(words.at(-1) ?? '') || ['num', 'count'].includes(words[0] ?? '');
}

/** Whether the variable is in one of the node's output paths, or has a name that suggests its use in paths. */
function isPathPart(name: string, { brief, step }: VariableFacts): boolean {
  return (
    [...brief.outputs, ...step.outputs].some((path) => path.includes(`{${name}}`)) ||
    ['key', 'slug', 'id'].includes(toWords(name).at(-1) ?? '')
  );
}

const MAX_PART_CHARS = 60;

/** Lower-case letters, digits and hyphens; the placeholder if nothing usable remains. */
function toFileName(value: unknown, name: string): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const part = [...joinWords(text)].slice(0, MAX_PART_CHARS).join('').replace(/-+$/, '');
  return part === '' || hasInvisible(part) || segmentDanger(part) !== undefined ? placeholderFor(name) : part;
}

function placeholderFor(name: string): string {
  return ['rehearsal', ...toWords(name)].join('-');
}

/** The answer for the whole step: the only answer to a question, otherwise the first message. */
function soleAnswer({ byId, messages }: Answers, { setsVariables, isWaiting }: Step): string | undefined {
  if (!isWaiting) return undefined;
  const [only, ...others] = Object.entries(byId).filter(([id]) => id !== MENU_ID);
  if (!only) return messages[0];
  const [id, value] = only;
  return others.length === 0 && typeof value === 'string' && !setsVariables.includes(id) ? value : undefined;
}
