/**
 * Scans JSON without building its value: any depth and size, errors with their location, and the outermost shape even
 * of a truncated text. Pure.
 */
import { broken, type DataSummary, type DataText, summarized } from './data-summary.ts';
import { readScalar, readString, skipSpace, type Token } from './json-tokens.ts';
import { describeShape, type ItemShape, type ScalarKind, type ValueShape } from './value-shape.ts';

export function summariseJson({ text, isWhole }: DataText): DataSummary {
  const scan = scanJson(text);
  if (scan.kind === 'complete') return summarized(describeShape(scan.shape, true));
  if (scan.kind === 'wrong' || isWhole) return broken(text, scan.offset, scan.reason);
  return summarized(scan.shape ? describeShape(scan.shape, false) : 'nothing so far');
}

type JsonScan =
  | { readonly kind: 'complete'; readonly shape: ValueShape }
  | (SyntaxIssue & { readonly kind: 'ends-early'; readonly shape: ValueShape | undefined })
  | (SyntaxIssue & { readonly kind: 'wrong' });

interface SyntaxIssue {
  readonly offset: number;
  readonly reason: string;
}

type Bracket = '{' | '[';

type Expected = 'value' | 'item' | 'first-key' | 'key' | 'colon' | 'more' | 'nothing';

const DESCRIPTIONS: Readonly<Record<Expected, string>> = {
  value: 'a value',
  item: 'a value or "]"',
  'first-key': 'a key in double quotes or "}"',
  key: 'a key in double quotes',
  colon: 'a ":"',
  more: 'a "," or the closing bracket',
  nothing: 'the end',
};

function scanJson(text: string): JsonScan {
  const open: Bracket[] = [];
  const outline = createOutline();
  let expected: Expected = 'value';
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const character = text.charAt(at);
    const inside = open.at(-1);
    let end = at + 1;
    let isValueEnd = false;
    if (canClose(character, inside, expected)) {
      open.pop();
      isValueEnd = true;
    } else if (expected === 'nothing' || expected === 'colon' || expected === 'more') {
      if (character !== FOLLOWER[expected])
        return { kind: 'wrong', offset: at, reason: `${DESCRIPTIONS[expected]} was expected` };
      expected = expected === 'more' && inside === '{' ? 'key' : 'value';
    } else if (expected === 'key' || expected === 'first-key') {
      const token = readString(text, at);
      if (token.kind !== 'token') return toScan(token, at, outline.shape());
      outline.addKey(open, text.slice(at, token.end));
      expected = 'colon';
      end = token.end;
    } else if (character === '{' || character === '[') {
      outline.beginValue(open.length, character === '{' ? 'object' : 'array');
      open.push(character);
      expected = character === '{' ? 'first-key' : 'item';
    } else {
      const token = readScalar(text, at);
      if (token.kind !== 'token') return toScan(token, at, outline.shape());
      outline.beginValue(open.length, token.scalar);
      isValueEnd = true;
      end = token.end;
    }
    if (isValueEnd) {
      outline.endValue(open.length);
      expected = open.length === 0 ? 'nothing' : 'more';
    }
    at = skipSpace(text, end);
  }
  const shape = outline.shape();
  if (expected === 'nothing' && shape) return { kind: 'complete', shape };
  return {
    kind: 'ends-early',
    shape,
    offset: text.length,
    reason: `it ends before ${DESCRIPTIONS[expected]}`,
  };
}

function toScan(
  token: Exclude<Token, { kind: 'token' }>,
  start: number,
  shape: ValueShape | undefined,
): JsonScan {
  if (token.kind === 'none') return { ...token, kind: 'wrong' };
  return { kind: 'ends-early', shape, offset: start, reason: 'the value that begins here is incomplete' };
}

/** Character that must follow, where only one is valid. */
const FOLLOWER = { nothing: undefined, colon: ':', more: ',' } as const;

function canClose(character: string, inside: Bracket | undefined, expected: Expected): boolean {
  if (character === '}') return inside === '{' && (expected === 'more' || expected === 'first-key');
  return character === ']' && inside === '[' && (expected === 'more' || expected === 'item');
}

interface Outline {
  beginValue(depth: number, kind: 'object' | 'array' | ScalarKind): void;
  addKey(open: readonly Bracket[], token: string): void;
  endValue(depth: number): void;
  shape(): ValueShape | undefined;
}

/** Tracks the root and the first item of an array; deeper values are skipped. */
function createOutline(): Outline {
  let root: 'object' | 'array' | ScalarKind | undefined;
  let first: 'object' | 'array' | ScalarKind | undefined;
  const keys = new Set<string>();
  let items = 0;

  const itemShape = (): ItemShape | undefined =>
    first === undefined ? undefined : first === 'object' ? { kind: first, keys: [...keys] } : { kind: first };

  return {
    beginValue(depth, kind) {
      if (depth === 0) root = kind;
      else if (depth === 1 && root === 'array' && items === 0) first = kind;
    },
    addKey(open, token) {
      const isInRoot = open.length === 1;
      const isInFirst = open.length === 2 && open[0] === '[' && items === 0;
      // The token was validated as a string.
      if (isInRoot || isInFirst) keys.add(JSON.parse(token) as string);
    },
    endValue(depth) {
      if (depth === 1 && root === 'array') items++;
    },
    shape() {
      if (root === 'object') return { kind: root, keys: [...keys] };
      if (root === 'array') return { kind: root, items, first: itemShape() };
      return root && { kind: root };
    },
  };
}
