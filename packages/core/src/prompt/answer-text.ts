/**
 * Expands short answers: a letter or number refers to an offered option and means nothing without it.
 */

import { type Answers, FOR_ALL, SKIPPED } from '@crewagent/protocol/answers';
import type { Question } from '@crewagent/protocol/tools';
import { endOfLine } from './quote-blocks.ts';

const MAX_QUESTION = 200;

/** Each answer with its question, so that both can be understood later; of a long question the end. */
export function toAnswerText(answers: Answers, questions: readonly Question[]): string {
  const lines = Object.entries(answers).map(([id, answer]) => {
    const prompt = questions.find((question) => question.id === id)?.prompt;
    const text =
      typeof answer === 'string' ? answer : answer === SKIPPED ? 'skipped' : JSON.stringify(answer);
    if (id === FOR_ALL) return text;
    return `${text} (asked: ${endOfLine(prompt ?? id, MAX_QUESTION)})`;
  });
  return lines.join('; ');
}

const SHORT = /^[[(]?([\p{L}\p{N}]{1,2})[\])]?[.!]?$/u;
const MAX_CHARS = 200;

/** What the user said; `code`: the letter or number of an option that they chose. */
export interface Said {
  readonly text: string;
  readonly code?: string;
}

/** `C` becomes `chose C: Continue` if the previous message offers it on its own line. */
export function toChosenOption(input: string, offered: string | undefined): Said {
  const code = SHORT.exec(input.trim())?.[1];
  if (code === undefined || offered === undefined) return { text: input };
  const option = offered
    .split('\n')
    .map((line) => toOption(line, code))
    .find((option) => option !== undefined);
  return option === undefined ? { text: input } : { text: `chose ${code}: ${option}`, code };
}

/** `[C] Continue`, `- **C**: Continue`, `3. Continue`. */
function toOption(line: string, code: string): string | undefined {
  const plain = line.replace(/[*_`]/g, '').trim();
  const [, name, option] = /^(?:[-•]\s*)?[[(]?([\p{L}\p{N}]{1,2})[\])]?[\s.:)–-]+(\S.*)$/u.exec(plain) ?? [];
  return name?.toLowerCase() === code.toLowerCase() ? option?.slice(0, MAX_CHARS) : undefined;
}
