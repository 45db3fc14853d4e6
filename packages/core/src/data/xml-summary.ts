/**
 * XML looked through from front to back: do its elements close in order, which is the root, what lies directly in it.
 * Nothing is expanded, fetched or decoded; a document with declarations of its own is told as text. Pure.
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
    const words = text.slice(at, start === -1 ? text.length : start);
    if (open.length === 0 && words.trim() !== '') return broken(text, at + words.search(/\S/), OUTSIDE);
    if (start === -1) break;
    const mark = readMark(text, start);
    if (mark.kind === 'cut') {
      if (isWhole) return broken(text, start, 'what begins here never ends');
      break;
    }
    if (mark.kind === 'wrong') return broken(text, mark.offset, mark.reason);
    if (mark.kind === 'declares') return { kind: 'as-text', note: DECLARES };
    at = mark.end;
    if (mark.kind === 'aside') continue;
    if (mark.kind === 'words') {
      if (open.length === 0) return broken(text, start, OUTSIDE);
      continue;
    }
    const { name } = mark;
    if (mark.kind === 'close') {
      const last = open.pop();
      if (!last) return broken(text, start, `${toTag(`/${name}`)} closes nothing`);
      if (last.name !== name)
        return broken(
          text,
          start,
          `${toTag(`/${name}`)} stands where ${toTag(`/${last.name}`)} was expected`,
        );
      continue;
    }
    if (open.length === 0 && root !== undefined) return broken(text, start, 'there is a second root element');
    root ??= name;
    if (open.length === 1) children.set(name, (children.get(name) ?? 0) + 1);
    if (!mark.isEmpty) open.push({ name, offset: start });
  }
  const unclosed = open.at(-1);
  if (isWhole && unclosed) return broken(text, unclosed.offset, `${toTag(unclosed.name)} is never closed`);
  if (isWhole && root === undefined) return broken(text, text.length, 'there is no element in it');
  return summarized(describe(root, children, isWhole ? '' : ' so far'));
}

const OUTSIDE = 'there is text outside of the root element';
const DECLARES = 'its DOCTYPE declares things of its own, which are never read; it is told as text';

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

type Mark =
  | { readonly kind: 'open'; readonly name: string; readonly isEmpty: boolean; readonly end: number }
  | { readonly kind: 'close'; readonly name: string; readonly end: number }
  /** A comment, an instruction, a DOCTYPE. */
  | { readonly kind: 'aside'; readonly end: number }
  /** CDATA. */
  | { readonly kind: 'words'; readonly end: number }
  | { readonly kind: 'declares' }
  | { readonly kind: 'wrong'; readonly offset: number; readonly reason: string }
  /** The text ends before it does. */
  | { readonly kind: 'cut' };

function readMark(text: string, start: number): Mark {
  if (text.startsWith('<!--', start)) return readUpTo(text, start + 4, '-->', 'aside');
  if (text.startsWith('<?', start)) return readUpTo(text, start + 2, '?>', 'aside');
  if (text.startsWith('<![CDATA[', start)) return readUpTo(text, start + 9, ']]>', 'words');
  if (text.startsWith('<!DOCTYPE', start)) return readDoctype(text, start + 9);
  if (text.startsWith('</', start)) return readClose(text, start + 2);
  if (isCutHead(text.slice(start, start + LONGEST_HEAD))) return { kind: 'cut' };
  return readOpen(text, start + 1);
}

const HEADS = ['<!--', '<![CDATA[', '<!DOCTYPE'];
const LONGEST_HEAD = 9;

/** A head that is whole was recognised before. */
function isCutHead(rest: string): boolean {
  return rest.length > 1 && HEADS.some((head) => head.startsWith(rest));
}

function readUpTo(text: string, from: number, ending: string, kind: 'aside' | 'words'): Mark {
  const found = text.indexOf(ending, from);
  return found === -1 ? { kind: 'cut' } : { kind, end: found + ending.length };
}

function readDoctype(text: string, start: number): Mark {
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '[') return { kind: 'declares' };
    if (character === '>') return { kind: 'aside', end: at + 1 };
    if (character !== '"' && character !== "'") continue;
    const close = text.indexOf(character, at + 1);
    if (close === -1) return { kind: 'cut' };
    at = close;
  }
  return { kind: 'cut' };
}

function readClose(text: string, start: number): Mark {
  const name = readName(text, start);
  const end = skipSpace(text, start + name.length);
  if (end >= text.length) return { kind: 'cut' };
  if (name === '' || text.charAt(end) !== '>')
    return { kind: 'wrong', offset: end, reason: 'a closing tag is not of the form </name>' };
  return { kind: 'close', name, end: end + 1 };
}

function readOpen(text: string, start: number): Mark {
  const name = readName(text, start);
  if (name === '') {
    if (start >= text.length) return { kind: 'cut' };
    return { kind: 'wrong', offset: start - 1, reason: 'a "<" begins no tag; in text it is written &lt;' };
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
      return { kind: 'wrong', offset: next, reason: `a space is missing in the tag ${toTag(name)}` };
    at = attribute.end;
  }
}

type Attribute =
  | { readonly kind: 'attribute'; readonly end: number }
  | Extract<Mark, { kind: 'wrong' | 'cut' }>;

function readAttribute(text: string, start: number): Attribute {
  const name = readName(text, start);
  const equals = skipSpace(text, start + name.length);
  const open = skipSpace(text, equals + 1);
  const wrong = (offset: number): Attribute => ({
    kind: 'wrong',
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

/** Empty where none begins. */
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
