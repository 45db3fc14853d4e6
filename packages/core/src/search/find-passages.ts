/** Finds words in passages, and cuts snippets around them. Pure. */
import type { Snippet } from '@crewagent/protocol/api/search';
import type { Passage } from './fold-passages.ts';

/** What a person looks for: all words, in whatever case and order. */
export interface WantedWords {
  readonly each: readonly RegExp[];
  readonly any: RegExp;
}

const MAX_WORDS = 12;

/** Undefined if there is no word. */
export function toWantedWords(text: string): WantedWords | undefined {
  const words = [...new Set(text.normalize('NFC').split(/\s+/).filter(Boolean))].slice(0, MAX_WORDS);
  if (words.length === 0) return undefined;
  const patterns = words.toSorted((a, b) => b.length - a.length).map(escapePattern);
  return {
    each: patterns.map((pattern) => new RegExp(pattern, 'iu')),
    any: new RegExp(patterns.join('|'), 'giu'),
  };
}

function escapePattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

export interface Match {
  /** How many of the words the best passage has. */
  readonly score: number;
  /** Best first. */
  readonly passages: readonly Passage[];
}

/** Undefined unless each word is somewhere in the passages. */
export function matchPassages(passages: readonly Passage[], { each }: WantedWords): Match | undefined {
  const scores = new Map<Passage, number>();
  for (const word of each) {
    let isFound = false;
    for (const passage of passages) {
      if (!word.test(passage.text)) continue;
      isFound = true;
      scores.set(passage, (scores.get(passage) ?? 0) + 1);
    }
    if (!isFound) return undefined;
  }
  const found = [...scores].sort(([, a], [, b]) => b - a);
  return { score: found[0]?.[1] ?? 0, passages: found.map(([passage]) => passage) };
}

const BEFORE = 60;
const SNIPPET = 200;

export function toSnippet({ text }: Passage, { any }: WantedWords): Pick<Snippet, 'text' | 'marks'> {
  const first = text.search(any);
  // Not within a surrogate pair.
  let start = Math.max(0, first - BEFORE);
  if (/[\uDC00-\uDFFF]/.test(text.charAt(start))) start++;
  let end = Math.min(text.length, start + SNIPPET);
  if (/[\uDC00-\uDFFF]/.test(text.charAt(end))) end--;
  const cut = `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  const line = cut.replace(/\s+/g, ' ');
  return {
    text: line,
    marks: [...line.matchAll(any)].map(({ index, 0: word }) => [index, index + word.length]),
  };
}
