/**
 * Normalizes typed text for comparison with names: lower case, no full-width forms, no invisible characters, single spaces,
 * and none between Chinese, Japanese or Korean and other scripts. Only for comparing. Pure.
 */

export function fold(text: string): string {
  // Most texts are plain ASCII, where folding affects letter case and spaces only.
  if (PLAIN.test(text)) return text.toLowerCase().replace(/ {2,}/g, ' ').trim();
  const visible = text.replace(/\s+/g, ' ').replace(toInvisible(), '').normalize('NFKC');
  return visible.toLowerCase().replace(/ {2,}/g, ' ').replace(toBetweenScripts(), '').trim();
}

const PLAIN = /^[ -~]*$/;

// These are created where they are used: V8 takes up to a millisecond to parse the names of scripts.

/** Control and format characters, and variation selectors. */
const toInvisible = (): RegExp => /[\p{Cc}\p{Cf}]|\ufe0e|\ufe0f/gu;

/** People write both `创建 PRD` and `创建PRD`. */
const toBetweenScripts = (): RegExp =>
  /(?<=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]) (?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}]) (?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])/gu;

/** The short code in brackets of a menu: `[M]`, `[WS]`. Case-sensitive: `[new]` is a word. */
export function findCode(text: string): string | undefined {
  return text.includes('[') ? toCode().exec(text)?.[1] : undefined;
}

const toCode = (): RegExp => /\[(\p{L}|\p{N}|[A-Z0-9]{2,3})\]/u;
