/**
 * A person's answers to the questions of `ui.ask_user`: resolving typed text to an option, and validating an answer against its
 * question. Shared by terminal, server and page.
 */
import { findCode, fold } from './folded-text.ts';
import type { Question } from './tools.ts';

export type Answers = Readonly<Record<string, unknown>>;

/** The answer to a question that a person does not want to answer. */
export const SKIPPED = null;

/** Id of one answer to all questions that have none of their own, in the person's words. */
export const FOR_ALL = '*';

/** The reason why the answers are rejected, as a sentence; undefined if they are valid. */
export function findAnswerIssue(questions: readonly Question[], answers: Answers): string | undefined {
  const unknownId = Object.keys(answers).find(
    (id) => id !== FOR_ALL && !questions.some((question) => question.id === id),
  );
  if (unknownId !== undefined)
    return `There is no question "${unknownId}"; the questions are ${questions.map(({ id }) => `"${id}"`).join(', ')}.`;
  // A server may call a field that.
  const isAsked = questions.some(({ id }) => id === FOR_ALL);
  const forAll = isAsked ? undefined : forAllOf(answers);
  if (!isAsked && Object.hasOwn(answers, FOR_ALL) && forAll === undefined)
    return 'The answer to all questions is empty.';
  for (const question of questions) {
    if (forAll !== undefined && !Object.hasOwn(answers, question.id)) continue;
    const issue = replyErrorOf(
      question,
      Object.hasOwn(answers, question.id) ? answers[question.id] : undefined,
    );
    if (issue) return `The answer to "${question.id}" ${issue}.`;
  }
  return undefined;
}

/** The answer to all questions that have none of their own. */
export function forAllOf(answers: Answers | undefined): string | undefined {
  const text = answers && Object.hasOwn(answers, FOR_ALL) ? answers[FOR_ALL] : undefined;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

/** Parses a typed answer into the type its question expects; free text is returned unchanged. */
export function parseAnswer(question: Question, text: string): unknown {
  const trimmed = text.trim();
  switch (question.type) {
    case 'text':
      return text;
    case 'choice':
      return findOption(question, trimmed) ?? trimmed;
    case 'multi':
      return toOptions(question, trimmed);
    case 'confirm':
      return /^(?:y|yes|true|是|好)$/i.test(trimmed)
        ? true
        : /^(?:n|no|false|否|不)$/i.test(trimmed)
          ? false
          : trimmed;
    case 'form':
      try {
        return JSON.parse(trimmed);
      } catch {
        return trimmed;
      }
  }
}

/** Parses text typed in reply to questions: one line per question if the numbers match, else one answer to all. */
export function parseAnswers(questions: readonly Question[], text: string): Answers {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const [first] = questions;
  if (!first) return {};
  if (questions.length === 1) return { [first.id]: parseAnswer(first, text) };
  if (lines.length !== questions.length) return toOneAnswer(questions, text);
  return Object.fromEntries(
    questions.map((question, index) => [question.id, parseAnswer(question, lines[index] ?? '')]),
  );
}

/** One text for several questions. A server gets an answer to its first one: it knows no other. */
export function toOneAnswer(questions: readonly Question[], text: string): Answers {
  const [first, ...others] = questions;
  if (!first) return {};
  const isForFirst = others.length === 0 || first.source !== undefined;
  return isForFirst ? { [first.id]: parseAnswer(first, text) } : { [FOR_ALL]: text };
}

/** Free text may contain commas; in that case none of the parts is an option. */
function toOptions(question: Question, text: string): string[] {
  if (text === '') return [];
  const parts = text.split(/\s*[,，、;；]\s*/).filter((part) => part !== '');
  const found = parts.map((part) => findOption(question, part));
  return found.some((option) => option !== undefined)
    ? parts.map((part, index) => found[index] ?? part)
    : [findOption(question, text) ?? text];
}

/** Finds an option by its whole text, its code (`C` or `[C]` of "[C] Continue"), its number, or an unambiguous prefix. */
function findOption({ options = [] }: Question, text: string): string | undefined {
  const key = fold(text);
  if (key === '') return undefined;
  const named = options.map((option) => ({ option, key: fold(option), code: codeOf(option) }));
  const [only, ...others] = named.filter(
    (one) => one.key.startsWith(key) || withoutCode(one.key).startsWith(key),
  );
  return (
    named.find((one) => one.key === key) ??
    named.find(({ code }) => code !== undefined && (code === key || `[${code}]` === key)) ??
    (/^[0-9]+$/.test(key) ? named[Number(key) - 1] : others.length === 0 ? only : undefined)
  )?.option;
}

/** `[C] Continue`, `C) Continue`, `C. Continue`, `C: Continue`. */
function codeOf(option: string): string | undefined {
  const code = findCode(option) ?? /^\s*([A-Z0-9]{1,3})[).:]\s/.exec(option)?.[1];
  return code === undefined ? undefined : fold(code);
}

function withoutCode(key: string): string {
  return key.replace(/^(?:\[[^\]]{1,3}\]|[a-z0-9]{1,3}[).:])\s*/, '');
}

function replyErrorOf({ type, options = [] }: Question, answer: unknown): string | undefined {
  if (answer === SKIPPED) return undefined;
  if (answer === undefined) return 'is missing';
  const choices = `must be ${options.map((option) => `"${option}"`).join(' or ')}, or in your own words`;
  const fits = (part: unknown): boolean => options.includes(part as string) || isFreeText(part);
  switch (type) {
    case 'text':
      return typeof answer === 'string' ? undefined : 'is missing';
    case 'choice':
      return fits(answer) ? undefined : choices;
    case 'multi':
      return Array.isArray(answer) && answer.every(fits) ? undefined : `${choices}; several are possible`;
    case 'confirm':
      return typeof answer === 'boolean' || isFreeText(answer) ? undefined : 'must be yes or no';
    case 'form':
      return (typeof answer === 'object' && !Array.isArray(answer) && answer !== undefined) ||
        (isFreeText(answer) && !/^\s*[{[]/.test(String(answer)))
        ? undefined
        : 'must be a JSON object';
  }
}

/** An answer in the person's own words. A bare number is not one: it would be an option that does not exist. */
export function isFreeText(answer: unknown): boolean {
  return typeof answer === 'string' && answer.trim() !== '' && !/^[\s\p{Nd}]+$/u.test(answer);
}
