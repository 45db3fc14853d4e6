/** Files attached to questions: each is mentioned in an answer that is text, where the person sees it. Pure. */
import { isFreeText, SKIPPED } from '@crewagent/protocol/answers';
import type { Question } from '@crewagent/protocol/tools';
import { toMention } from '../attachments/mention.ts';

/** An answer that mentions the file as well; undefined if answers to this question have no text of the person. */
export function withMention({ type, options = [] }: Question, value: unknown, path: string): unknown {
  const before = value === SKIPPED ? undefined : value;
  switch (type) {
    case 'text':
      return append(before, path);
    case 'choice':
    case 'confirm':
      // An own answer instead of a chosen option.
      return append(isFreeText(before) && !options.includes(before as string) ? before : '', path);
    case 'multi': {
      const chosen = Array.isArray(before) ? (before as readonly string[]) : [];
      const own = chosen.find((text) => !options.includes(text));
      return [...chosen.filter((text) => text !== own), append(own, path)];
    }
    case 'form':
      return undefined;
  }
}

export function append(text: unknown, path: string): string {
  const before = typeof text === 'string' ? text : '';
  return `${before}${before === '' || /\s$/.test(before) ? '' : ' '}${toMention(path)} `;
}

export function withoutMention(value: unknown, path: string): unknown {
  if (typeof value === 'string') return value.replace(`${toMention(path)} `, '');
  return Array.isArray(value) ? value.map((text) => withoutMention(text, path)) : value;
}
