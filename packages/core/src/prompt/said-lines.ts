/**
 * What was said in a conversation, for the runs that are started from it, and the other way round: the last words first to be kept,
 * one quoted line each.
 */

import type { ChatMessage } from '../llm/wire.ts';
import { endOfLine } from './quote-blocks.ts';
import { partsOf } from './user-text.ts';

export interface SaidWords {
  readonly by: string;
  readonly words: string;
}

const MAX_BYTES = 2_000;
const MAX_WORDS = 600;

/** The last words, in order, in at most 2 kB. */
export function toSaidLines(said: readonly SaidWords[]): string[] {
  const lines: string[] = [];
  let left = MAX_BYTES;
  for (const { by, words } of said.toReversed()) {
    const line = `- ${by}: ${JSON.stringify(endOfLine(words, MAX_WORDS))}`;
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    lines.unshift(line);
  }
  return lines;
}

/** The conversation before a run; undefined if nothing was said. */
export function toConversationBlock(
  messages: readonly ChatMessage[],
): { readonly text: string; readonly said: string[] } | undefined {
  const said = messages.flatMap((message): SaidWords[] => {
    if (message.role === 'user')
      return partsOf(message).flatMap((part) =>
        part.kind === 'input' ? [{ by: 'the user', words: part.words }] : [],
      );
    return message.role === 'assistant' && message.content ? [{ by: 'you', words: message.content }] : [];
  });
  const lines = toSaidLines(said);
  if (!said.some(({ by }) => by === 'the user') || lines.length === 0) return undefined;
  return {
    text: ['EARLIER_CONVERSATION', HEADER, ...lines].join('\n'),
    said: said
      .slice(-lines.length)
      .filter(({ by }) => by === 'the user')
      .map(({ words }) => endOfLine(words, MAX_WORDS)),
  };
}

const HEADER = 'Said before the user started this workflow, the latest last:';
