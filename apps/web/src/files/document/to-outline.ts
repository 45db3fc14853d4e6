/** The headings of a Markdown text. Pure. */
import type { Token } from 'marked';
import { readBlocks } from '../../ui/markdown/read-blocks.ts';

export interface OutlineHeading {
  /** From 1, relative to the highest level in use. */
  readonly level: number;
  readonly title: string;
  /** Position among all headings of the top level of the text. */
  readonly index: number;
}

/** Three levels are enough to find one's way. */
const MAX_LEVEL = 3;
const MAX_CHARS = 200_000;

/** The only heading of the highest level is the title of the document, and not in its outline. */
export function toOutline(text: string): readonly OutlineHeading[] {
  if (text.length > MAX_CHARS) return [];
  const headings = readBlocks(text)
    .blocks.filter((block) => block.type === 'heading')
    .map(({ depth, tokens }, index) => ({ depth, title: toPlain(tokens), index }));
  const highest = Math.min(...headings.map(({ depth }) => depth));
  const isTitled =
    headings[0]?.depth === highest && headings.filter(({ depth }) => depth === highest).length === 1;
  const inside = isTitled ? headings.slice(1) : headings;
  const top = Math.min(...inside.map(({ depth }) => depth));
  return inside
    .map(({ depth, title, index }) => ({ level: depth - top + 1, title, index }))
    .filter(({ level, title }) => level <= MAX_LEVEL && title !== '');
}

function toPlain(tokens: readonly Token[] | undefined): string {
  const texts = (tokens ?? []).map((token) =>
    'tokens' in token && token.tokens ? toPlain(token.tokens) : 'text' in token ? String(token.text) : '',
  );
  return texts.join('').trim();
}
