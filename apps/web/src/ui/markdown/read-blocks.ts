/**
 * Markdown into blocks, at once or as it is written. Text from elsewhere must not hold up the page: what would take long to
 * read stands as the text it is.
 */
import { Lexer, type Links, type MarkedToken } from 'marked';
import remend from 'remend';
import { splitTangled } from './split-tangled.ts';

export interface ReadText {
  readonly blocks: readonly MarkedToken[];
  /** Where links by reference lead, in any block: where this changes, blocks may look different though their text is the same. */
  readonly definitions: string;
}

export function readBlocks(text: string): ReadText {
  const links = toLinks([]);
  const blocks = lex(text, links);
  return { blocks, definitions: JSON.stringify(links) };
}

/**
 * Reads a text that grows. Blocks that can no longer change are kept as they are, so that each word costs as much as the end
 * of the text, not as much as all of it; what is not yet closed at the end is read as if it were.
 */
export function createBlockReader(): (text: string) => ReadText {
  let settled = NOTHING;
  let shown = '{}';
  const read = (text: string): ReadText => {
    if (!text.startsWith(settled.text)) settled = NOTHING;
    const rest = text.slice(settled.text.length);
    const links = toLinks(Object.entries(settled.links));
    const blocks = lex(remend(rest, CLOSING), links);
    const definitions = JSON.stringify(links);
    const isOutdated = definitions !== shown && settled !== NOTHING;
    shown = definitions;
    if (isOutdated) {
      settled = NOTHING;
      return read(text);
    }
    const before = settled;
    settled = settle(before, takeEnded(rest, blocks));
    return { blocks: [...before.blocks, ...blocks], definitions };
  };
  return read;
}

interface Settled {
  readonly blocks: readonly MarkedToken[];
  readonly text: string;
  readonly links: Links;
}

const NOTHING: Settled = { blocks: [], text: '', links: toLinks([]) };

function settle({ blocks, text, links }: Settled, ended: readonly MarkedToken[]): Settled {
  const added = ended.flatMap(({ type, ...block }) =>
    type === 'def' && 'tag' in block ? [[block.tag, { href: block.href, title: block.title }] as const] : [],
  );
  return {
    blocks: [...blocks, ...ended],
    text: text + ended.map(({ raw }) => raw).join(''),
    // The first of a name counts.
    links: toLinks([...added.reverse(), ...Object.entries(links)]),
  };
}

/** By names from elsewhere: there must be no others in it. */
function toLinks(entries: readonly (readonly [string, Links[string]])[]): Links {
  const links = Object.create(null) as Links;
  for (const [name, link] of entries) links[name] = link;
  return links;
}

/** Only what is open at the end is closed. A link is no link before one knows where it leads. */
const CLOSING = {
  linkMode: 'text-only',
  htmlTags: false,
  katex: false,
  singleTilde: false,
  comparisonOperators: false,
} as const;

/** All but the last two: a list that goes on after an empty line looks like a paragraph at first. */
function takeEnded(text: string, blocks: readonly MarkedToken[]): readonly MarkedToken[] {
  const places = blocks.flatMap(({ type }, place) => (type === 'space' ? [] : [place]));
  const ended = blocks.slice(0, places.at(-UNSETTLED) ?? 0);
  return text.startsWith(ended.map(({ raw }) => raw).join('')) ? ended : [];
}

const UNSETTLED = 2;

/** Knows the definitions in `links`, and adds those it finds. */
function lex(text: string, links: Links): readonly MarkedToken[] {
  return splitTangled(text).flatMap((part) => {
    if (part.isTangled) return toPlainBlock(part.text);
    try {
      const lexer = new Lexer({ gfm: true });
      lexer.tokens.links = links;
      // Without extensions there are no others.
      return lexer.lex(part.text) as MarkedToken[];
    } catch {
      return toPlainBlock(part.text);
    }
  });
}

function toPlainBlock(text: string): MarkedToken {
  return { type: 'text', raw: text, text };
}
