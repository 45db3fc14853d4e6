/**
 * Streams a complete text in chunks, as a provider would.
 */
import type { ChatWatch } from '../llm-adapter.ts';

const WORDS_PER_CHUNK = 4;

/** Stops on abort. The chunks joined are the text. */
export function streamText(
  type: 'text' | 'reasoning',
  text: string,
  { signal, onProgress }: ChatWatch,
): void {
  const words = text.match(/\S+\s*|\s+/g) ?? [];
  for (let at = 0; at < words.length && !signal.aborted; at += WORDS_PER_CHUNK) {
    onProgress({ type, text: words.slice(at, at + WORDS_PER_CHUNK).join('') });
  }
}
