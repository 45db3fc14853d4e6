/**
 * Interprets `--input` texts at a stop of a run: as answers to its questions, or as a reply to the model.
 */

import { CrewError, type Pending } from '@crewagent/core';
import { type Answers, findAnswerIssue, parseAnswer, toOneAnswer } from '@crewagent/protocol/answers';
import { toStatus } from '@crewagent/protocol/status';
import type { Question } from '@crewagent/protocol/tools';
import { type StopState, waitsForWords } from '../print/pending.ts';
import type { WorkCommand } from './work-command.ts';

/** The command for the texts, and how many of them it uses. */
export interface AcceptedInput {
  readonly command: WorkCommand;
  readonly count: number;
}

/** Undefined if a text cannot answer the stop: a change needs an approval, a limit needs a resume. */
export function acceptInput(
  stop: StopState,
  pending: Pending | undefined,
  texts: readonly string[],
): AcceptedInput | undefined {
  const [text = ''] = texts;
  if (pending?.kind === 'question') {
    const { questions } = pending;
    // As many texts as questions answer them in order; otherwise one text answers all.
    const isOneEach =
      questions.length > 1 && texts.length >= questions.length && !parseNamed(questions, text);
    const given = isOneEach
      ? Object.fromEntries(
          questions.map((question, index) => [question.id, parseAnswer(question, texts[index] ?? '')]),
        )
      : toAnswers(questions, text);
    const answers = requireAnswers(questions, given);
    return { command: (work) => work.answer(answers, BY_FLAG), count: isOneEach ? questions.length : 1 };
  }
  return waitsForWords(stop) ? { command: (work) => work.input(text, BY_FLAG), count: 1 } : undefined;
}

/** Written before the question was known. */
const BY_FLAG = { speaker: 'flag' } as const;

/** Fixed words in place of the person, for stops that wait for words; undefined for anything else. */
export function speakForPerson(stop: StopState, pending: Pending | undefined): WorkCommand | undefined {
  const speaker = { speaker: 'unattended' } as const;
  if (pending?.kind === 'question') {
    if (!pending.questions.every(({ type }) => type === 'text')) return undefined;
    const answers = Object.fromEntries(pending.questions.map(({ id }) => [id, UNATTENDED_WORDS]));
    return (work) => work.answer(answers, speaker);
  }
  if (pending || !(toStatus(stop).kind === 'reply' || stop.reason?.code === 'E_PERSON_NOT_HEARD'))
    return undefined;
  return (work) => work.input(UNATTENDED_WORDS, speaker);
}

const UNATTENDED_WORDS = 'Nobody is available. Decide yourself and continue.';

/** Returns the command for the next texts and removes them. */
export function takeAccepted(
  stop: StopState,
  pending: Pending | undefined,
  remaining: string[],
): WorkCommand | undefined {
  const accepted = acceptInput(stop, pending, remaining);
  remaining.splice(0, accepted?.count ?? 0);
  return accepted?.command;
}

/** The text answers a single question, or all of several together; a JSON object answers them one by one. */
export function toAnswers(questions: readonly Question[], text: string): Answers {
  return (questions.length > 1 && parseNamed(questions, text)) || toOneAnswer(questions, text);
}

/** Parses answers given by question id; omitted text questions get an empty answer. */
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

/** Throws USAGE for answers that are not valid for their questions. */
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
  return `! ${unused} of ${all} --input texts ${unused === 1 ? 'was' : 'were'} not used: no question was left to answer, and they approve no changes.`;
}
