/**
 * A person's answers to the questions of `ui.ask_user`: which option typed words mean, and whether an answer fits its
 * question. The same for terminal, server and page.
 */
import { findCode, fold } from './folded-text.ts';
import type { Question } from './tools.ts';

export type Answers = Readonly<Record<string, unknown>>;

/** Why the answers are refused, as a sentence; undefined when they are accepted. */
export function findAnswerIssue(questions: readonly Question[], answers: Answers): string | undefined {
  const stranger = Object.keys(answers).find((id) => !questions.some((question) => question.id === id));
  if (stranger !== undefined)
    return `There is no question "${stranger}"; the questions are ${questions.map(({ id }) => `"${id}"`).join(', ')}.`;
  for (const question of questions) {
    const issue = replyErrorOf(
      question,
      Object.hasOwn(answers, question.id) ? answers[question.id] : undefined,
    );
    if (issue) return `The answer to "${question.id}" ${issue}.`;
  }
  return undefined;
}

/** An answer as it is typed in one line, in the form its question wants; free words stay as they are. */
export function parseAnswer(question: Question, text: string): unknown {
  const words = text.trim();
  switch (question.type) {
    case 'text':
      return text;
    case 'choice':
      return findOption(question, words) ?? words;
    case 'multi':
      return toOptions(question, words);
    case 'confirm':
      return /^(?:y|yes|true|是|好)$/i.test(words)
        ? true
        : /^(?:n|no|false|否|不)$/i.test(words)
          ? false
          : words;
    case 'form':
      try {
        return JSON.parse(words);
      } catch {
        return words;
      }
  }
}

/** Words typed where something was asked. One question takes them all; several take a line each, else the first takes them. */
export function parseAnswers(questions: readonly Question[], text: string): Answers {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const [first] = questions;
  if (!first) return {};
  if (questions.length === 1 || lines.length !== questions.length)
    return { [first.id]: parseAnswer(first, text) };
  return Object.fromEntries(
    questions.map((question, index) => [question.id, parseAnswer(question, lines[index] ?? '')]),
  );
}

/** Commas may be part of free words: then none of the parts is an option. */
function toOptions(question: Question, words: string): string[] {
  if (words === '') return [];
  const parts = words.split(/\s*[,，、;；]\s*/).filter((part) => part !== '');
  const found = parts.map((part) => findOption(question, part));
  return found.some((option) => option !== undefined)
    ? parts.map((part, index) => found[index] ?? part)
    : [findOption(question, words) ?? words];
}

/** An option by its whole text, its code (`C` or `[C]` of "[C] Continue"), its number, or a beginning that no other has. */
function findOption({ options = [] }: Question, words: string): string | undefined {
  const key = fold(words);
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
  const choices = `must be ${options.map((option) => `"${option}"`).join(' or ')}`;
  const fits = (part: unknown): boolean => options.includes(part as string) || isFreeText(part);
  switch (type) {
    case 'text':
      return typeof answer === 'string' ? undefined : 'is missing';
    case 'choice':
      return fits(answer) ? undefined : choices;
    case 'multi':
      return Array.isArray(answer) && answer.every(fits) ? undefined : `${choices}, any number of them`;
    case 'confirm':
      return typeof answer === 'boolean' || isFreeText(answer) ? undefined : 'must be yes or no';
    case 'form':
      return typeof answer === 'object' && answer !== null && !Array.isArray(answer)
        ? undefined
        : 'must be a JSON object';
  }
}

/** An answer in the person's own words. A number alone is one that no option has. */
function isFreeText(answer: unknown): boolean {
  return typeof answer === 'string' && answer.trim() !== '' && !/^[\s\p{Nd}]+$/u.test(answer);
}
