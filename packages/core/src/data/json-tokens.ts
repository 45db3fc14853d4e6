/**
 * Tokenizer for JSON: the end of each token, or why it is invalid. Pure.
 */
import type { ScalarKind } from './value-shape.ts';

export function skipSpace(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); isSpace(code); code = text.charCodeAt(at)) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

export type Token =
  | { readonly kind: 'token'; readonly end: number; readonly scalar: ScalarKind }
  | { readonly kind: 'none'; readonly offset: number; readonly reason: string }
  /** The text ends inside the token. */
  | { readonly kind: 'cut' };

const QUOTE = 34;
const BACKSLASH = 92;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** An escape at the end of the text that may be incomplete. */
const CUT_ESCAPE = /^\\(?:u[0-9a-fA-F]{0,3})?$/;

export function readString(text: string, start: number): Token {
  if (text.charCodeAt(start) !== QUOTE)
    return { kind: 'none', offset: start, reason: 'a key in double quotes was expected' };
  // No regular expression: it can overflow the stack on a text of many megabytes.
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return { kind: 'token', end: at + 1, scalar: 'text' };
    if (code < 32)
      return { kind: 'none', offset: at, reason: 'there is a line break or control character in a string' };
    if (code !== BACKSLASH) continue;
    ESCAPE.lastIndex = at;
    if (!ESCAPE.test(text)) {
      if (CUT_ESCAPE.test(text.slice(at, at + 6))) return { kind: 'cut' };
      return { kind: 'none', offset: at, reason: 'an escape in a string is invalid' };
    }
    at = ESCAPE.lastIndex - 1;
  }
  return { kind: 'cut' };
}

const LITERALS: readonly (readonly [string, ScalarKind])[] = [
  ['true', 'boolean'],
  ['false', 'boolean'],
  ['null', 'null'],
];

export function readScalar(text: string, start: number): Token {
  if (text.charCodeAt(start) === QUOTE) return readString(text, start);
  for (const [literal, scalar] of LITERALS) {
    if (text.startsWith(literal, start)) return { kind: 'token', end: start + literal.length, scalar };
    if (literal.startsWith(text.slice(start, start + literal.length))) return { kind: 'cut' };
  }
  return readNumber(text, start);
}

/** Sign, integer part, fraction, exponent. */
function readNumber(text: string, start: number): Token {
  const none: Token = { kind: 'none', offset: start, reason: 'a value was expected' };
  let at = text.charAt(start) === '-' ? start + 1 : start;
  const whole = skipDigits(text, at);
  if (whole === at) return whole >= text.length && at > start ? { kind: 'cut' } : none;
  if (text.charAt(at) === '0' && whole > at + 1) return none;
  at = whole;
  if (text.charAt(at) === '.') {
    const fraction = skipDigits(text, at + 1);
    if (fraction === at + 1) return fraction >= text.length ? { kind: 'cut' } : none;
    at = fraction;
  }
  if (/[eE]/.test(text.charAt(at))) {
    const digits = /[+-]/.test(text.charAt(at + 1)) ? at + 2 : at + 1;
    const exponent = skipDigits(text, digits);
    if (exponent === digits) return exponent >= text.length ? { kind: 'cut' } : none;
    at = exponent;
  }
  return { kind: 'token', end: at, scalar: 'number' };
}

function skipDigits(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code >= 48 && code <= 57; code = text.charCodeAt(at)) at++;
  return at;
}
