/**
 * Words that are all there at once, handed out piece by piece as if they were arriving.
 */
import type { ChatWatch } from '../llm-adapter.ts';

const WORDS_A_PIECE = 4;

/** Stops when the watcher does. The pieces put together are the text. */
export function sayInPieces(
  type: 'text' | 'reasoning',
  text: string,
  { signal, onProgress }: ChatWatch,
): void {
  const words = text.match(/\S+\s*|\s+/g) ?? [];
  for (let at = 0; at < words.length && !signal.aborted; at += WORDS_A_PIECE) {
    onProgress({ type, text: words.slice(at, at + WORDS_A_PIECE).join('') });
  }
}
