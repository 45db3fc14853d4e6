/**
 * What a text that was given beforehand means where a run stops: the answers to its questions, or words for the model.
 */

import { CrewError } from '@crewagent/core';
import { type Answers, findAnswerIssue, parseAnswer } from '@crewagent/protocol/answers';
import { toStatus } from '@crewagent/protocol/status';
import type { Question } from '@crewagent/protocol/tools';
import type { Rest, RunCommand } from './ask-person.ts';
import type { Pending } from './pending.ts';

/** What to do with the texts, and how many of them it takes. */
export interface AcceptedInput {
  readonly command: RunCommand;
  readonly count: number;
}

/** Undefined where a text is no answer: a change needs a decision, a limit a resume. */
export function takeInput(
  stop: Rest,
  pending: Pending | undefined,
  texts: readonly string[],
): AcceptedInput | undefined {
  const [text = ''] = texts;
  if (pending?.kind === 'question') {
    const { questions } = pending;
    // As many texts as questions, in their order; otherwise one text for all.
    const isOneEach =
      questions.length > 1 && texts.length >= questions.length && !parseNamed(questions, text);
    const given = isOneEach
      ? Object.fromEntries(
          questions.map((question, index) => [question.id, parseAnswer(question, texts[index] ?? '')]),
        )
      : toAnswers(questions, text);
    const answers = requireAnswers(questions, given);
    return { command: (to) => to.answer(answers), count: isOneEach ? questions.length : 1 };
  }
  return toStatus(stop).kind === 'reply' ? { command: (to) => to.say(text), count: 1 } : undefined;
}

/** One question is answered by the text; several by a JSON object, or the first by the text and none of the others. */
export function toAnswers(questions: readonly Question[], text: string): Answers {
  const [first, ...others] = questions;
  if (!first) return {};
  if (others.length > 0) {
    const named = parseNamed(questions, text);
    if (named) return named;
  }
  const empty = others.filter(({ type }) => type === 'text').map(({ id }) => [id, '']);
  return Object.fromEntries([[first.id, parseAnswer(first, text)], ...empty]) as Answers;
}

/** Answers by the ids of their questions, each as it is typed in one line; texts that are left out are empty. */
export function toNamedAnswers(questions: readonly Question[], named: ReadonlyMap<string, string>): Answers {
  const answers = new Map<string, unknown>();
  for (const question of questions) {
    const text = named.get(question.id);
    if (text !== undefined) answers.set(question.id, parseAnswer(question, text));
    else if (question.type === 'text') answers.set(question.id, '');
  }
  for (const id of named.keys()) if (!answers.has(id)) answers.set(id, undefined);
  return Object.fromEntries(answers);
}

/** Throws a sentence for answers that do not fit their questions. */
export function requireAnswers(questions: readonly Question[], answers: Answers): Answers {
  const issue = findAnswerIssue(questions, answers);
  if (issue) throw new CrewError('USAGE', issue);
  return answers;
}

function parseNamed(questions: readonly Question[], text: string): Answers | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const given = new Map<string, unknown>(Object.entries(value));
  if (given.size === 0) return undefined;
  for (const { id, type } of questions) if (type === 'text' && !given.has(id)) given.set(id, '');
  return Object.fromEntries(given);
}

export function describeUnused(unused: number, all: number): string {
  return `! ${unused} of ${all} texts given with --input ${unused === 1 ? 'was' : 'were'} not used: nothing asked for ${unused === 1 ? 'it' : 'them'}.`;
}
