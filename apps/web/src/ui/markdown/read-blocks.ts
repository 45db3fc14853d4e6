/**
 * Parses Markdown into blocks, at once or incrementally. Untrusted text must not block the page: parts that would be slow to
 * parse stay plain text.
 */
import { Lexer, type Links, type MarkedToken } from 'marked';
import remend from 'remend';
import { findFormula, readFormula, readFormulaBlock } from './formula/formula-tokens.ts';

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
      const lexer = new Lexer({ gfm: true, extensions: FORMULAS });
      lexer.tokens.links = links;
      // The only other type is a formula, which is rendered before these.
      return lexer.lex(part.text) as MarkedToken[];
    } catch {
      return toPlainBlock(part.text);
    }
  });
}

const FORMULAS = {
  renderers: {},
  childTokens: {},
  block: [readFormulaBlock],
  inline: [readFormula],
  startInline: [findFormula],
};

function toPlainBlock(text: string): MarkedToken {
  return { type: 'text', raw: text, text };
}

interface Part {
  text: string;
  readonly isTangled: boolean;
}

/**
 * Finds parts that would be slow to parse: emphasis takes quadratic time in its delimiters, headings in the lines of a paragraph,
 * quotes in their depth; a table repeats all its columns in every row. Code is linear to parse, whatever it contains. The parts
 * are in order; there is a single one if nothing is tangled.
 */
export function splitTangled(text: string): readonly Readonly<Part>[] {
  const parts: Part[] = [];
  for (const stretch of stretchesOf(text)) {
    const last = parts.at(-1);
    if (last?.isTangled === stretch.isTangled) last.text += stretch.text;
    else parts.push(stretch);
  }
  return parts;
}

/** Paragraphs, each with the empty lines that follow it. */
function* stretchesOf(text: string): Generator<Part> {
  let fence: string | undefined;
  let start = 0;
  let cost = NO_COST;
  let isBehindEmpty = false;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end + 1;
    const line = text.slice(at, next);
    const isEmpty = line.trim() === '';
    if (fence === undefined && isBehindEmpty && !isEmpty) {
      yield { text: text.slice(start, at), isTangled: isTangled(cost) };
      [start, cost] = [at, NO_COST];
    }
    isBehindEmpty = isEmpty;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else cost = add(cost, line);
    at = next;
  }
  if (start < text.length) yield { text: text.slice(start), isTangled: isTangled(cost) };
}

interface Cost {
  readonly length: number;
  readonly lines: number;
  readonly marks: number;
  readonly columns: number;
  readonly quotes: number;
}

const NO_COST: Cost = { length: 0, lines: 0, marks: 0, columns: 0, quotes: 0 };

function add(cost: Cost, line: string): Cost {
  return {
    length: cost.length + line.length,
    lines: cost.lines + 1,
    marks: cost.marks + count(line, /[*_~]/g),
    columns: Math.max(cost.columns, count(line, /\|/g)),
    quotes: Math.max(cost.quotes, count(/^[ >]*/.exec(line)?.[0] ?? '', />/g)),
  };
}

function count(line: string, mark: RegExp): number {
  return line.match(mark)?.length ?? 0;
}

function isTangled({ length, lines, marks, columns, quotes }: Cost): boolean {
  return (
    length > LIMITS.length ||
    lines > LIMITS.lines ||
    marks > LIMITS.marks ||
    lines * columns > LIMITS.cells ||
    quotes > LIMITS.quotes
  );
}

export const LIMITS = { length: 40_000, lines: 2_000, marks: 2_000, cells: 20_000, quotes: 50 };
