/** An error that only a person can fix, as the terminal shows it. */
import type { CrewError } from '@crewagent/core';
import { sanitize, styleError } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';

/** The message is English: on a Chinese terminal, what the code means stands before it. */
export async function describeError({ code, message, details }: CrewError): Promise<string> {
  const language = userLanguage();
  if (language === 'en') return `${styleError('red', 'Error:')} ${sanitize(message)}`;
  // Loaded only then: it has the texts of all problems.
  const { toProblemLine } = await import('@crewagent/protocol/story/describe-problem');
  return `${styleError('red', '错误：')}${sanitize(toProblemLine(language, { code, message, details }))}`;
}
