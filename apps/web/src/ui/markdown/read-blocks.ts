/**
 * Parses Markdown into blocks, at once or incrementally. Untrusted text must not block the page: parts that would be slow to
 * parse stay plain text.
 */
import { Lexer, type Links, type MarkedToken } from 'marked';
import remend from 'remend';
import { splitTangled } from './split-tangled.ts';

export interface ReadText {
  readonly blocks: readonly MarkedToken[];
  /** Link definitions of all blocks: when they change, blocks with the same text may render differently. */
  readonly definitions: string;
}

export function readBlocks(text: string): ReadText {
  const links = toLinks([]);
  const blocks = lex(text, links);
  return { blocks, definitions: JSON.stringify(links) };
}

/**
 * Parses a growing text. Completed blocks are reused, so that each delta costs as much as the end of the text, not as much as
 * the whole; constructs that are still open at the end are parsed as if they were closed.
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
    settled = settle(before, takeCompleted(rest, blocks));
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
    // The first definition of a name wins.
    links: toLinks([...added.reverse(), ...Object.entries(links)]),
  };
}

/** Without a prototype: the names are untrusted. */
function toLinks(entries: readonly (readonly [string, Links[string]])[]): Links {
  const links = Object.create(null) as Links;
  for (const [name, link] of entries) links[name] = link;
  return links;
}

/** Closes only constructs that are open at the end. A link without its URL is not a link yet. */
const CLOSING = {
  linkMode: 'text-only',
  htmlTags: false,
  katex: false,
  singleTilde: false,
  comparisonOperators: false,
} as const;

/** All but the last two blocks: a list that continues after an empty line looks like a paragraph at first. */
function takeCompleted(text: string, blocks: readonly MarkedToken[]): readonly MarkedToken[] {
  const indices = blocks.flatMap(({ type }, index) => (type === 'space' ? [] : [index]));
  const ended = blocks.slice(0, indices.at(-UNSETTLED) ?? 0);
  return text.startsWith(ended.map(({ raw }) => raw).join('')) ? ended : [];
}

const UNSETTLED = 2;

/** Uses the definitions in `links`, and adds the ones it finds. */
function lex(text: string, links: Links): readonly MarkedToken[] {
  return splitTangled(text).flatMap((part) => {
    if (part.isTangled) return toPlainBlock(part.text);
    try {
      const lexer = new Lexer({ gfm: true });
      lexer.tokens.links = links;
      // Without extensions there are no other token types.
      return lexer.lex(part.text) as MarkedToken[];
    } catch {
      return toPlainBlock(part.text);
    }
  });
}

function toPlainBlock(text: string): MarkedToken {
  return { type: 'text', raw: text, text };
}
