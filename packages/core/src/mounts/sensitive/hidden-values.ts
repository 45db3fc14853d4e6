/**
 * Hides secrets in texts by their content: a marker replaces each value, and for a text of a file the values can be put
 * back (`restoreHidden`). Pure.
 */
import { mapStrings } from '../../base/map-strings.ts';
import { findHidden, type Hidden } from './find-hidden.ts';

/**
 * The text with a marker such as `[hidden: GitHub token 3f]` in place of each secret; the same text if there is none. The
 * number of lines does not change.
 */
export function maskSecrets(text: string): string {
  return mask(text, findHidden(text));
}

/** Of private keys only: part of a key cannot be recognised once the text is cut. */
export function maskBlocks(text: string): string {
  if (!text.includes(BLOCK_START)) return text;
  return mask(
    text,
    findHidden(text).filter(({ isBlock }) => isBlock),
  );
}

/** All strings of a value, masked; the same value if there is no secret. */
export function maskIn<T>(value: T): T {
  return mapStrings(value, maskSecrets);
}

function mask(text: string, hidden: readonly Hidden[]): string {
  let masked = '';
  let from = 0;
  for (const { start, end, marker } of hidden) {
    masked += text.slice(from, start) + marker + '\n'.repeat(newlinesIn(text.slice(start, end)));
    from = end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

function newlinesIn(text: string): number {
  return text.split('\n').length - 1;
}

export function hasHiddenMarker(text: string): boolean {
  return text.includes('[hidden: ') && MARKER.test(text);
}

/**
 * `next`, a new version of `current`, with the values of `current` in place of their markers. Undefined if it has a marker
 * that does not stand for exactly one value of `current`, whose place would be lost.
 */
export function restoreHidden(next: string, current: string): string | undefined {
  if (!hasHiddenMarker(next)) return next;
  const values = new Map<string, string[]>();
  for (const { start, end, marker } of findHidden(current))
    values.set(marker, [...(values.get(marker) ?? []), current.slice(start, end)]);
  const written = next.match(MARKERS) ?? [];
  const used = new Map<string, number>();
  let restored = '';
  let from = 0;
  for (const { 0: marker, index } of next.matchAll(MARKERS)) {
    const known = values.get(marker);
    const isLiteral = current.includes(marker);
    // A document about such markers may contain one.
    if (!known && isLiteral) continue;
    const nth = used.get(marker) ?? 0;
    used.set(marker, nth + 1);
    const isSame = known?.every((value) => value === known[0]) === true;
    const isInOrder = known?.length === written.filter((other) => other === marker).length;
    const value = known?.[isSame ? 0 : nth];
    if (value === undefined || isLiteral || !(isSame || isInOrder)) return undefined;
    restored += next.slice(from, index) + value;
    const end = index + marker.length;
    from = end + paddingAt(next, end, newlinesIn(value));
  }
  return restored + next.slice(from);
}

/** Length of the empty lines that stand for the other lines of a value, if they are still there. */
function paddingAt(text: string, at: number, lines: number): number {
  const [padding = ''] = /^(?:\r?\n)*/.exec(text.slice(at, at + 2 * lines)) ?? [];
  const ends = padding.match(/\r?\n/g) ?? [];
  return ends.length < lines ? 0 : ends.slice(0, lines).join('').length;
}

const MARKER = /\[hidden: [A-Za-z ]{2,30} [0-9a-f]{2}\]/;
const MARKERS = new RegExp(MARKER, 'g');
const BLOCK_START = '-----BEGIN ';
