/**
 * Patterns for paths inside a mount: a file name in any folder (`*.key`), a path at any depth (`.config/gh/**` for a
 * folder and everything in it), `*` for any characters of a name, and `{a,b}` for alternatives. Names are compared as
 * the most tolerant file system does.
 */
import { foldName } from '../../base/file-names.ts';

export interface PathPatterns {
  /** Index of the first list with a pattern for the path. */
  find(segments: readonly string[]): number | undefined;
  /** The same for segments that `foldSegment` returned. */
  findFolded(folded: readonly string[]): number | undefined;
}

interface Pattern {
  readonly list: number;
  /** Each segment as the texts between its stars. */
  readonly parts: readonly (readonly string[])[];
  /** Also matches everything below. */
  readonly isFolder: boolean;
}

export function createPathPatterns(lists: readonly (readonly string[])[]): PathPatterns {
  /** Plain names, which most patterns are, with their lists. */
  const names = new Map<string, number>();
  const byName = new Map<string, Pattern[]>();
  const byFirst = new Map<string, Pattern[]>();
  const byLast = new Map<string, Pattern[]>();
  const shortNames = createShortNames(names, byName);
  for (const [list, patterns] of lists.entries())
    for (const text of patterns.flatMap(expandBraces)) {
      const path = fold(text);
      if (!/[*/]/.test(path)) {
        if (!names.has(path)) names.set(path, list);
        continue;
      }
      const isFolder = path.endsWith('/**');
      const segments = (isFolder ? path.slice(0, -3) : path).split('/');
      const last = segments.at(-1) ?? '';
      const pattern = { list, parts: segments.map((segment) => segment.split('*')), isFolder };
      if (last.endsWith('*')) push(byFirst, last.charAt(0), pattern);
      else if (last.includes('*')) push(byLast, last.charAt(last.length - 1), pattern);
      else push(byName, last, pattern);
    }
  const findFolded = (folded: readonly string[]): number | undefined => {
    const lastIndex = folded.length - 1;
    let best = names.get(folded[lastIndex] ?? '');
    const consider = (patterns: readonly Pattern[] | undefined, end: number): void => {
      for (const { list, parts, isFolder } of patterns ?? NONE)
        if ((best === undefined || list < best) && (isFolder || end === lastIndex))
          if (endsAt(parts, folded, end)) best = list;
    };
    for (let end = 0; end <= lastIndex; end++) {
      const name = folded[end] ?? '';
      consider(byName.get(name), end);
      consider(byFirst.get(name.charAt(0)), end);
      consider(byFirst.get('*'), end);
      consider(byLast.get(name.charAt(name.length - 1)), end);
      if (name.includes('~')) consider(shortNames(name), end);
    }
    return best;
  };
  return { findFolded, find: (segments) => findFolded(segments.map(foldSegment)) };
}

/** Patterns whose last name has this short name. Built on first use: such names are rare. */
function createShortNames(names: ReadonlyMap<string, number>, byName: ReadonlyMap<string, Pattern[]>) {
  let known: Map<string, Pattern[]> | undefined;
  return (name: string): readonly Pattern[] | undefined => {
    if (!known) {
      known = new Map();
      for (const [last, list] of names)
        push(known, toShortName(last), { list, parts: [[last]], isFolder: false });
      for (const [last, patterns] of byName)
        for (const pattern of patterns) push(known, toShortName(last), pattern);
    }
    return known.get(name.replace(SHORT_NAME, ''));
  };
}

const NONE: readonly Pattern[] = [];
/** Number of a short name, which Windows gives to names that are not 8.3: `GIT~1` for `.git`, `PACKAG~1.JSO`. */
const SHORT_NAME = /~\d+(?=\.[^.]{0,3}$|$)/;

/**
 * Equal for names that some file system considers the same: other case or Unicode form, dots and spaces at the end and
 * the name of a data stream (Windows), characters that are ignored in comparisons (HFS+).
 */
export function foldSegment(name: string): string {
  const plain = fold(name);
  const stream = plain.indexOf(':');
  const base = stream > 0 ? plain.slice(0, stream) : plain;
  return /[. ]$/.test(base) ? base.replace(/[. ]+$/, '') : base;
}

const PLAIN = /^[\x20-\x7e]*$/;

function fold(name: string): string {
  return PLAIN.test(name)
    ? name.toLowerCase()
    : foldName(name.replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
}

/** `{a,b}c{d,e}` as four texts. Groups are not nested. */
function expandBraces(text: string): string[] {
  const [, before, group, after] = /^([^{]*)\{([^}]*,[^}]*)\}(.*)$/.exec(text) ?? [];
  if (before === undefined || group === undefined || after === undefined) return [text];
  return group.split(',').flatMap((choice) => expandBraces(after).map((rest) => before + choice + rest));
}

/** Short name without its number: six characters of the name, three of the extension. */
function toShortName(name: string): string {
  const plain = name.replace(/^\.+|[ +,;=[\]]/g, '');
  const dot = plain.lastIndexOf('.');
  const [stem, extension] = dot === -1 ? [plain, ''] : [plain.slice(0, dot), plain.slice(dot, dot + 4)];
  return stem.replaceAll('.', '').slice(0, 6) + extension;
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

function endsAt(parts: Pattern['parts'], segments: readonly string[], end: number): boolean {
  const start = end - parts.length + 1;
  return start >= 0 && parts.every((part, index) => matchesName(segments[start + index] ?? '', part));
}

function matchesName(name: string, parts: readonly string[]): boolean {
  if (matchesParts(name, parts)) return true;
  const [only = '', ...others] = parts;
  return others.length === 0 && name.includes('~') && name.replace(SHORT_NAME, '') === toShortName(only);
}

/** Whether a name consists of the parts, in order, with anything in between. Linear: each part is searched once. */
function matchesParts(name: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  if (parts.length === 1) return name === first;
  const last = parts.at(-1) ?? '';
  const end = name.length - last.length;
  if (end < first.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (let index = 1; index < parts.length - 1; index++) {
    const part = parts[index] ?? '';
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
