/**
 * What a short answer meant: a letter or a number stands for something that was offered, and says nothing once that is gone.
 */
import { type Answers, SKIPPED } from '@crewagent/protocol/answers';
import type { Question } from '@crewagent/protocol/tools';

/** The question with each answer, so that both can be understood later. */
export function toAnswerWords(answers: Answers, questions: readonly Question[]): string {
  const told = Object.entries(answers).map(([id, answer]) => {
    const prompt = questions.find((question) => question.id === id)?.prompt;
    const text =
      typeof answer === 'string' ? answer : answer === SKIPPED ? 'skipped' : JSON.stringify(answer);
    return `${prompt === undefined ? id : oneLine(prompt)}: ${text}`;
  });
  return told.join('; ');
}

const SHORT = /^[[(]?([\p{L}\p{N}]{1,2})[\])]?[.!]?$/u;
const MAX_CHARS = 200;

/** `C` becomes `chose C: Continue` where what was said before offers it in a line of its own. */
export function toChosen(input: string, offered: string | undefined): string {
  const code = SHORT.exec(input.trim())?.[1];
  if (code === undefined || offered === undefined) return input;
  const words = offered
    .split('\n')
    .map((line) => toOption(line, code))
    .find((option) => option !== undefined);
  return words === undefined ? input : `chose ${code}: ${words}`;
}

/** `[C] Continue`, `- **C**: Continue`, `3. Continue`. */
function toOption(line: string, code: string): string | undefined {
  const plain = line.replace(/[*_`]/g, '').trim();
  const [, name, words] = /^(?:[-•]\s*)?[[(]?([\p{L}\p{N}]{1,2})[\])]?[\s.:)–-]+(\S.*)$/u.exec(plain) ?? [];
  return name?.toLowerCase() === code.toLowerCase() ? words?.slice(0, MAX_CHARS) : undefined;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
