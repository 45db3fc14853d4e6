/**
 * Hides secrets in texts by their content: a marker replaces each value, and for a text of a file the values can be put
 * back (`restoreHidden`). Pure.
 */
import { mapStrings } from '../../base/map-strings.ts';
import data from './sensitive-files.json';

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

/** A secret in a text, and the marker that replaces it. */
interface Hidden {
  readonly start: number;
  readonly end: number;
  readonly marker: string;
  readonly isBlock: boolean;
}

interface Form {
  readonly label: string;
  readonly start: string;
  /** Sticky: what is between the beginning and the value. */
  readonly lead: RegExp | undefined;
  /** Sticky: the value, or the rest of it. Undefined for a block that has an end of its own. */
  readonly rest: RegExp | undefined;
  readonly keepsStart: boolean;
  readonly isAlone: boolean;
  readonly guard: string | undefined;
}

const NONE: readonly Hidden[] = [];

/**
 * Private keys, tokens of known forms and passwords in addresses; the forms are in sensitive-files.json. Linear in the length of the
 * text: a form is a fixed beginning and one bounded run of characters after it.
 */
function findHidden(text: string): readonly Hidden[] {
  forms ??= toForms();
  const { isBeginning, byBeginning } = forms;
  let found: Hidden[] | undefined;
  let endOfBlock: BlockEnds | undefined;
  let key = 0;
  for (let at = 0, { length } = text; at < length; at++) {
    key = nextKey(key, text.charCodeAt(at));
    if (isBeginning[slotOf(key)] === 0) continue;
    const start = at - BEGINNING + 1;
    endOfBlock ??= createBlockEnds(text);
    const hidden = matchForms(text, start, byBeginning.get(key) ?? [], endOfBlock);
    if (!hidden) continue;
    found ??= [];
    found.push(hidden);
    at = hidden.end - 1;
    key = 0;
  }
  return found ?? NONE;
}

function matchForms(
  text: string,
  start: number,
  candidates: readonly Form[],
  endOfBlock: BlockEnds,
): Hidden | undefined {
  for (const form of candidates) {
    const hidden = text.startsWith(form.start, start) ? matchAt(text, start, form, endOfBlock) : undefined;
    // A value with a form of its own has the same marker everywhere.
    if (hidden && !(form.guard && hasOwnForm(text, hidden.start, endOfBlock))) return hidden;
  }
  return undefined;
}

function hasOwnForm(text: string, at: number, endOfBlock: BlockEnds): boolean {
  const candidates = forms?.byBeginning.get(keyOf(text.slice(at, at + BEGINNING))) ?? [];
  return (
    matchForms(
      text,
      at,
      candidates.filter(({ guard }) => !guard),
      endOfBlock,
    ) !== undefined
  );
}

/** Forms are found by the first characters of their beginning: most places of a text are the beginning of none. */
const BEGINNING = 3;

function nextKey(key: number, code: number): number {
  return ((key << 7) | (code & 0x7f)) & 0x1f_ffff;
}

function keyOf(beginning: string): number {
  return [...beginning].reduce((key, char) => nextKey(key, char.charCodeAt(0)), 0);
}

function slotOf(key: number): number {
  return (key ^ (key >>> 5)) & 0xffff;
}

/** Nothing, no part of a word, or an escaped line end. */
const SEPARATED = /(?:^|[^\w-]|\\[nrt])$/;

function matchAt(text: string, at: number, form: Form, endOfBlock: BlockEnds): Hidden | undefined {
  const { label, start, lead, rest, keepsStart, isAlone, guard } = form;
  if (isAlone && !SEPARATED.test(text.slice(Math.max(0, at - 2), at))) return undefined;
  if (!rest) {
    const end = endOfBlock(at);
    return end === -1
      ? undefined
      : { start: at, end, marker: markerOf(label, text.slice(at, end)), isBlock: true };
  }
  const afterLead = lead ? endOf(lead, text, at + start.length) : at + start.length;
  const end = afterLead === -1 ? -1 : endOf(rest, text, afterLead);
  if (end === -1) return undefined;
  const value = text.slice(afterLead, end);
  // `app:app@db` is for a test.
  if (guard && (!isLikely(value, guard) || text.slice(at + start.length, afterLead) === `${value}:`))
    return undefined;
  const from = keepsStart ? afterLead : at;
  return { start: from, end, marker: markerOf(label, text.slice(from, end)), isBlock: false };
}

function endOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : -1;
}

/** Values that people write in manuals. */
const COMMON =
  /^(?:pass(?:word|wd|phrase)?|pwd|secret|postgres|root|admin|user(?:name)?|change-?me|test|guest|mysql|redis|token|x+|\.+|\*+|[$%].*)$/i;
const EXAMPLE = /example|your|placeholder|changeme|dummy|xxxx|0123456789|1234567890/i;

/** Whether a value that only its surroundings call secret looks like one. */
function isLikely(value: string, guard: string): boolean {
  if (guard === 'word') return !COMMON.test(value) && !EXAMPLE.test(value);
  if (!/\d\D*\d\D*\d/.test(value) || !/[a-z][^a-z]*[a-z][^a-z]*[a-z]/i.test(value)) return false;
  return new Set(value).size >= 10 && !EXAMPLE.test(value);
}

/** Eight bits of the value tell the secrets of one file apart, and are of no use to guess it. */
function markerOf(label: string, value: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < value.length; at++) hash = Math.imul(hash ^ value.charCodeAt(at), 0x01000193);
  const id = ((hash >>> 24) ^ (hash >>> 16) ^ (hash >>> 8) ^ hash) & 0xff;
  return `[hidden: ${label} ${id.toString(16).padStart(2, '0')}]`;
}

const BLOCK_LINE = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const BLOCK_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** What is left of a block whose end was cut off: encoded text, headers, escaped or marked line ends. */
const BLOCK_BODY = /[A-Za-z0-9+/=:,.\s\\-]*/y;

const ENCODED = /[A-Za-z0-9+/=]{30}/;
const MAX_HEADER = 300;
const MAX_BLOCK = 32_768;

type BlockEnds = (at: number) => number;

/** Finds the ends of private keys; each end is searched for once. */
function createBlockEnds(text: string): BlockEnds {
  let [end, searchedFrom] = [-2, 0];
  return (at) => {
    const afterLine = endOf(BLOCK_LINE, text, at);
    // A program or a manual may name the first line of a key.
    if (afterLine === -1 || !ENCODED.test(text.slice(afterLine, afterLine + MAX_HEADER))) return -1;
    if (end === -2 || (end !== -1 && end < afterLine)) {
      BLOCK_END.lastIndex = Math.max(afterLine, searchedFrom);
      end = BLOCK_END.test(text) ? BLOCK_END.lastIndex : -1;
      searchedFrom = Math.max(afterLine, end);
    }
    return end === -1 || end - at > MAX_BLOCK ? endOf(BLOCK_BODY, text, afterLine) : end;
  };
}

interface Forms {
  readonly isBeginning: Uint8Array;
  readonly byBeginning: ReadonlyMap<number, readonly Form[]>;
}

/** Built on first use. */
let forms: Forms | undefined;

interface FormData {
  readonly label: string;
  readonly starts: readonly string[];
  readonly lead?: string;
  readonly rest: string;
  readonly keepsStart?: boolean;
  readonly isAlone?: boolean;
  readonly isGuarded?: string;
}

function toForms(): Forms {
  const isBeginning = new Uint8Array(1 << 16);
  const byBeginning = new Map<number, Form[]>();
  const list: readonly FormData[] = data.hiddenValues;
  for (const { label, starts, lead, rest, keepsStart = false, isAlone = false, isGuarded } of list) {
    const patterns = {
      lead: lead === undefined ? undefined : new RegExp(lead, 'y'),
      rest: rest === 'block' ? undefined : new RegExp(rest, 'y'),
    };
    for (const start of starts) {
      const key = keyOf(start.slice(0, BEGINNING));
      isBeginning[slotOf(key)] = 1;
      const form = { label, start, ...patterns, keepsStart, isAlone, guard: isGuarded };
      byBeginning.set(key, [...(byBeginning.get(key) ?? []), form]);
    }
  }
  return { isBeginning, byBeginning };
}
