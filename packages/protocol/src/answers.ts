/**
 * A person's answers to the questions of `ui.ask_user`: does each fit its question? One judge for terminal, server and page.
 */
import type { Question } from './tools.ts';

export type Answers = Readonly<Record<string, unknown>>;

/** Why the answers cannot be taken, as a sentence; undefined when they can. */
export function findAnswerFault(questions: readonly Question[], answers: Answers): string | undefined {
  const stranger = Object.keys(answers).find((id) => !questions.some((question) => question.id === id));
  if (stranger !== undefined)
    return `There is no question "${stranger}"; the questions are ${questions.map(({ id }) => `"${id}"`).join(', ')}.`;
  for (const question of questions) {
    const fault = faultOf(question, Object.hasOwn(answers, question.id) ? answers[question.id] : undefined);
    if (fault) return `The answer to "${question.id}" ${fault}.`;
  }
  return undefined;
}

/** An answer as it is typed in one line, in the form its question wants. */
export function parseAnswer(question: Question, text: string): unknown {
  const words = text.trim();
  switch (question.type) {
    case 'text':
      return text;
    case 'choice':
      return toOption(question, words);
    case 'multi':
      return words === '' ? [] : words.split(/\s*[,，]\s*/).map((part) => toOption(question, part));
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

/** An option by its number or its words. */
function toOption({ options = [] }: Question, words: string): string {
  const folded = words.toLowerCase();
  return (
    options.find((option) => option.toLowerCase() === folded) ??
    (/^\d+$/.test(words) ? options[Number(words) - 1] : undefined) ??
    words
  );
}

function faultOf({ type, options = [] }: Question, answer: unknown): string | undefined {
  const choices = `must be ${options.map((option) => `"${option}"`).join(' or ')}`;
  switch (type) {
    case 'text':
      return typeof answer === 'string' ? undefined : 'is missing';
    case 'choice':
      return options.includes(answer as string) ? undefined : choices;
    case 'multi':
      return Array.isArray(answer) && answer.every((part) => options.includes(part as string))
        ? undefined
        : `${choices}, any number of them`;
    case 'confirm':
      return typeof answer === 'boolean' ? undefined : 'must be yes or no';
    case 'form':
      return typeof answer === 'object' && answer !== null && !Array.isArray(answer)
        ? undefined
        : 'must be a JSON object';
  }
}
