/**
 * Scans XML: checks that elements are nested correctly, and counts the children of the root. Nothing is expanded,
 * fetched or decoded; a document with internal declarations is treated as text. Pure.
 */
import {
  broken,
  counted,
  type DataSummary,
  type DataText,
  summarized,
  toName,
  toNameList,
} from './data-summary.ts';

export function summariseXml({ text, isWhole }: DataText): DataSummary {
  const open: { readonly name: string; readonly offset: number }[] = [];
  const children = new Map<string, number>();
  let root: string | undefined;
  let at = 0;

  while (at < text.length) {
    const start = text.indexOf('<', at);
    const content = text.slice(at, start === -1 ? text.length : start);
    if (open.length === 0 && content.trim() !== '') return broken(text, at + content.search(/\S/), OUTSIDE);
    if (start === -1) break;
    const markup = readMarkup(text, start);
    if (markup.kind === 'cut') {
      if (isWhole) return broken(text, start, 'the markup that begins here is incomplete');
      break;
    }
    if (markup.kind === 'invalid') return broken(text, markup.offset, markup.reason);
    if (markup.kind === 'declarations') return { kind: 'as-text', note: HAS_DECLARATIONS };
    at = markup.end;
    if (markup.kind === 'skipped') continue;
    if (markup.kind === 'cdata') {
      if (open.length === 0) return broken(text, start, OUTSIDE);
      continue;
    }
    const { name } = markup;
    if (markup.kind === 'close') {
      const last = open.pop();
      if (!last) return broken(text, start, `${toTag(`/${name}`)} closes nothing`);
      if (last.name !== name)
        return broken(
          text,
          start,
          `${toTag(`/${name}`)} was found where ${toTag(`/${last.name}`)} was expected`,
        );
      continue;
    }
    if (open.length === 0 && root !== undefined) return broken(text, start, 'there is a second root element');
    root ??= name;
    if (open.length === 1) children.set(name, (children.get(name) ?? 0) + 1);
    if (!markup.isEmpty) open.push({ name, offset: start });
  }
  const unclosed = open.at(-1);
  if (isWhole && unclosed) return broken(text, unclosed.offset, `${toTag(unclosed.name)} is never closed`);
  if (isWhole && root === undefined) return broken(text, text.length, 'there is no element in it');
  return summarized(describe(root, children, isWhole ? '' : ' so far'));
}

const OUTSIDE = 'there is text outside of the root element';
const HAS_DECLARATIONS =
  'its DOCTYPE has internal declarations, which are not processed; it is treated as text';

function describe(root: string | undefined, children: ReadonlyMap<string, number>, soFar: string): string {
  if (root === undefined) return 'no element so far';
  const total = [...children.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return `root ${toTag(root)}; no elements in it${soFar}`;
  const kinds = [...children].map(([name, count]) => `${count} ${name}`);
  return `root ${toTag(root)}; ${counted(total, 'element')} in it${soFar}: ${toNameList(kinds)}`;
}

function toTag(name: string): string {
  return `<${toName(name)}>`;
}

type Markup =
  | { readonly kind: 'open'; readonly name: string; readonly isEmpty: boolean; readonly end: number }
  | { readonly kind: 'close'; readonly name: string; readonly end: number }
  /** A comment, processing instruction or DOCTYPE. */
  | { readonly kind: 'skipped'; readonly end: number }
  /** CDATA. */
  | { readonly kind: 'cdata'; readonly end: number }
  | { readonly kind: 'declarations' }
  | { readonly kind: 'invalid'; readonly offset: number; readonly reason: string }
  /** The text ends inside the markup. */
  | { readonly kind: 'cut' };

function readMarkup(text: string, start: number): Markup {
  if (text.startsWith('<!--', start)) return readUpTo(text, start + 4, '-->', 'skipped');
  if (text.startsWith('<?', start)) return readUpTo(text, start + 2, '?>', 'skipped');
  if (text.startsWith('<![CDATA[', start)) return readUpTo(text, start + 9, ']]>', 'cdata');
  if (text.startsWith('<!DOCTYPE', start)) return readDoctype(text, start + 9);
  if (text.startsWith('</', start)) return readClose(text, start + 2);
  if (isCutHead(text.slice(start, start + LONGEST_HEAD))) return { kind: 'cut' };
  return readOpen(text, start + 1);
}

const HEADS = ['<!--', '<![CDATA[', '<!DOCTYPE'];
const LONGEST_HEAD = 9;

/** Whether the text ends inside one of `HEADS`; complete heads were handled before. */
function isCutHead(beginning: string): boolean {
  return beginning.length > 1 && HEADS.some((head) => head.startsWith(beginning));
}

function readUpTo(text: string, from: number, ending: string, kind: 'skipped' | 'cdata'): Markup {
  const found = text.indexOf(ending, from);
  return found === -1 ? { kind: 'cut' } : { kind, end: found + ending.length };
}

function readDoctype(text: string, start: number): Markup {
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '[') return { kind: 'declarations' };
    if (character === '>') return { kind: 'skipped', end: at + 1 };
    if (character !== '"' && character !== "'") continue;
    const close = text.indexOf(character, at + 1);
    if (close === -1) return { kind: 'cut' };
    at = close;
  }
  return { kind: 'cut' };
}

function readClose(text: string, start: number): Markup {
  const name = readName(text, start);
  const end = skipSpace(text, start + name.length);
  if (end >= text.length) return { kind: 'cut' };
  if (name === '' || text.charAt(end) !== '>')
    return { kind: 'invalid', offset: end, reason: 'a closing tag is not of the form </name>' };
  return { kind: 'close', name, end: end + 1 };
}

function readOpen(text: string, start: number): Markup {
  const name = readName(text, start);
  if (name === '') {
    if (start >= text.length) return { kind: 'cut' };
    return {
      kind: 'invalid',
      offset: start - 1,
      reason: 'a "<" does not begin a tag; write it as &lt; in text',
    };
  }
  let at = start + name.length;
  while (true) {
    const next = skipSpace(text, at);
    if (next >= text.length || text.slice(next, next + 2) === '/') return { kind: 'cut' };
    if (text.charAt(next) === '>') return { kind: 'open', name, isEmpty: false, end: next + 1 };
    if (text.startsWith('/>', next)) return { kind: 'open', name, isEmpty: true, end: next + 2 };
    const attribute = readAttribute(text, next);
    if (attribute.kind !== 'attribute') return attribute;
    if (next === at)
      return { kind: 'invalid', offset: next, reason: `a space is missing in the tag ${toTag(name)}` };
    at = attribute.end;
  }
}

type Attribute =
  | { readonly kind: 'attribute'; readonly end: number }
  | Extract<Markup, { kind: 'invalid' | 'cut' }>;

function readAttribute(text: string, start: number): Attribute {
  const name = readName(text, start);
  const equals = skipSpace(text, start + name.length);
  const open = skipSpace(text, equals + 1);
  const wrong = (offset: number): Attribute => ({
    kind: 'invalid',
    offset,
    reason: 'an attribute is not of the form name="value"',
  });
  if (name === '') return wrong(start);
  if (equals >= text.length || (text.charAt(equals) === '=' && open >= text.length)) return { kind: 'cut' };
  const quote = text.charAt(open);
  if (text.charAt(equals) !== '=' || (quote !== '"' && quote !== "'")) return wrong(start);
  const close = text.indexOf(quote, open + 1);
  if (close === -1) return { kind: 'cut' };
  return { kind: 'attribute', end: close + 1 };
}

const NAME_START = /[\p{L}_:]/u;
const NAME_PART = /[\p{L}\p{M}\p{N}_:.·-]/u;

/** Empty if no name begins here. */
function readName(text: string, start: number): string {
  let end = start;
  while (end < text.length) {
    const character = String.fromCodePoint(text.codePointAt(end) ?? 0);
    if (!(end === start ? NAME_START : NAME_PART).test(character)) break;
    end += character.length;
  }
  return text.slice(start, end);
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && /[ \t\r\n]/.test(text.charAt(at))) at++;
  return at;
}
