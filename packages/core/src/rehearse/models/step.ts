/**
 * What the text of a step requires, as far as a rehearsal understands it: variables, outputs, named files, and
 * whether it waits for a person and with which questions. Pure; packages are already validated.
 */

import { isObject, parseObject, textsOf } from '@crewagent/protocol/json-object';
import { type Question, questionSchema } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { parse } from 'yaml';
import { findWait, MENU_ID, toMenuQuestion, type WaitingText } from '../../base/letter-menu.ts';
import { findNamedFiles, toPackageFiles } from '../../base/named-files.ts';
import { remember } from '../../base/remember.ts';
import type { JsonRecord } from '../../llm/untrusted-json.ts';
import { toTitle } from './name-words.ts';
import type { Words } from './words.ts';

export interface Step extends WaitingText {
  readonly setsVariables: readonly string[];
  /** As the author wrote them, with braces. */
  readonly outputs: readonly string[];
  /** Files of the package, as written; without other steps. */
  readonly namedFiles: readonly string[];
  /** Questions defined in the body as JSON. */
  readonly questions: readonly Question[] | undefined;
}

export function parseStep(text: string): Step {
  return parsed(text, () => toStep(text));
}

/** A rehearsal asks about the same step in every turn of every run. */
const parsed = remember<Step>(128);

function toStep(text: string): Step {
  const { fields, body } = splitDocument(text);
  return {
    setsVariables: [...new Set(textsOf(fields.setsVariables))],
    outputs: textsOf(fields.outputs),
    ...findWait(body),
    namedFiles: findPackageFiles(fields, body),
    questions: findQuestions(body),
  };
}

function findPackageFiles(fields: JsonRecord, body: string): string[] {
  const values = Object.values(fields).filter((value) => typeof value === 'string');
  return toPackageFiles([body, ...values].flatMap((text) => findNamedFiles(text)));
}

const MAX_FRONTMATTER_CHARS = 65_536;

/** Frontmatter and body; unreadable frontmatter has no fields. */
export function splitDocument(text: string): { fields: JsonRecord; body: string } {
  const open = /^\uFEFF?---[ \t]*\r?\n/.exec(text)?.[0];
  const rest = text.slice(open?.length ?? 0);
  const close = open === undefined ? null : /^---[ \t]*(?:\r?\n|$)/m.exec(rest);
  if (!close) return { fields: {}, body: text };
  const body = rest.slice(close.index + close[0].length);
  return { fields: parseYaml(rest.slice(0, close.index)), body };
}

function parseYaml(text: string): JsonRecord {
  if (text.length > MAX_FRONTMATTER_CHARS) return {};
  try {
    const value: unknown = parse(text, { logLevel: 'silent' });
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const questionsSchema = z.array(questionSchema).check(z.minLength(1), z.maxLength(10));

function findQuestions(body: string): readonly Question[] | undefined {
  for (const json of jsonBlocks(body)) {
    const { data } = questionsSchema.safeParse(parseObject(json)?.questions);
    if (data && canBeAsked(data)) return data;
  }
  return undefined;
}

function jsonBlocks(body: string): string[] {
  const blocks: string[] = [];
  let open: string[] | undefined;
  for (const line of body.split(/\r?\n/)) {
    if (open === undefined) {
      if (/^[ \t]*```json[ \t]*$/.test(line)) open = [];
    } else if (/^[ \t]*```[ \t]*$/.test(line)) {
      blocks.push(open.join('\n'));
      open = undefined;
    } else {
      open.push(line);
    }
  }
  return blocks;
}

/** `ui.ask_user` would reject other questions. */
function canBeAsked(questions: readonly Question[]): boolean {
  const lacksOptions = ({ type, options }: Question): boolean =>
    (type === 'choice' || type === 'multi') && !options?.length;
  return new Set(questions.map(({ id }) => id)).size === questions.length && !questions.some(lacksOptions);
}

/**
 * What is asked in a step: the questions defined in it, its letter menu, or one question for its first variable. `called` names the step
 * in prompts, as in `step "…"`.
 */
export function toQuestions(step: Step, called: string, words: Words): readonly Question[] {
  if (step.menu.length > 0) {
    const menu = toMenuQuestion(step.menu, words.chooses(called));
    return [...(step.questions ?? []).filter(({ id }) => id !== MENU_ID), menu];
  }
  if (step.questions) return step.questions;
  const [id = 'answer', ...others] = askedVariables(step);
  const asked = others.length === 0 ? words.askForOne : words.askFor(toTitle(id));
  return [{ id, type: 'text', prompt: `${words.asks(called)} ${asked}` }];
}

/** The call that asks. Where a step sets several values, it says above the question how to give all of them. */
export function toAsking(
  step: Step,
  questions: readonly Question[],
  words: Words,
): { readonly name: string; readonly args: JsonRecord } {
  const names = askedVariables(step);
  const isSole = names.length < 2 || step.menu.length > 0 || step.questions !== undefined;
  const lines = names.map((name) => `${name}: …`).join('\n');
  const body = isSole ? undefined : `${words.severalValues}\n\n\`\`\`\n${lines}\n\`\`\``;
  return { name: 'ui_ask_user', args: body === undefined ? { questions } : { body, questions } };
}

function askedVariables({ setsVariables }: Step): string[] {
  return [...new Set(setsVariables)].filter((name) => name !== 'workflowStatus');
}
