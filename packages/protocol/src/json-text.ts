/**
 * Checks for JSON that `JSON.parse` accepts but we do not: very deep nesting, and duplicate keys in one object. Both scan the
 * text, because the nesting must be checked before parsing and the parsed value no longer shows duplicates.
 */
import { parseJson } from './json-object.ts';

/** Maximum nesting of objects and arrays in every document, request and tool call. */
export const MAX_NESTING = 64;

export function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '{' || character === '[') {
      if (++depth > MAX_NESTING) return true;
    } else if (character === '}' || character === ']') depth--;
  }
  return false;
}

/** The first duplicate key of an object; `text` must be valid JSON. */
export function findRepeatedKey(text: string): string | undefined {
  /** The keys of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{') open.push(new Set());
    else if (character === '[') open.push(undefined);
    else if (character === '}' || character === ']') open.pop();
    if (character !== '"') continue;
    const end = endOfString(text, at);
    const keys = open.at(-1);
    if (keys && isFollowedByColon(text, end)) {
      const key = JSON.parse(text.slice(at, end)) as string;
      if (keys.has(key)) return key;
      keys.add(key);
    }
    at = end - 1;
  }
  return undefined;
}

/** Index after the JSON value, an object or an array, that begins at `start`; undefined if it does not end. */
export function endOfJson(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1;
  }
  return undefined;
}

/**
 * JSON as models write it, as strict JSON: line breaks and tabs inside of strings, commas before a closing bracket. Any other
 * text is returned unchanged.
 */
export function toStrictJson(text: string): string {
  if (parseJson(text) !== undefined) return text;
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const outside = text.slice(at, quote === -1 ? text.length : quote);
    parts.push(outside.replace(/,(?=\s{0,100}[}\]])/g, ''));
    if (quote === -1) break;
    at = endOfString(text, quote);
    parts.push(text.slice(quote, at).replace(CONTROL, (character) => JSON.stringify(character).slice(1, -1)));
  }
  const strict = parts.join('');
  return parseJson(strict) === undefined ? text : strict;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON does not allow in a string.
const CONTROL = /[\u0000-\u001f]/g;

/** Formats JSON with indentation; returns the text unchanged if it is not JSON, or if formatting would lose part of it. */
export function toReadableJson(text: string): string {
  if (!STARTS_LIKE_JSON.test(text) || isNestedTooDeep(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return findRepeatedKey(text) === undefined ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}

/** Most text is not JSON, and need not be scanned for its nesting. */
const STARTS_LIKE_JSON = /^\s*["[{\-\dtfn]/;

/** Index after the closing quote: the first one with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text[first - 1] === '\\') first--;
    if ((at - first) % 2 === 0) return at + 1;
  }
  return text.length;
}

function isFollowedByColon(text: string, start: number): boolean {
  let at = start;
  while (/\s/.test(text.charAt(at))) at++;
  return text[at] === ':';
}
