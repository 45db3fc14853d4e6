/**
 * The form in which typed words are compared with names: no letter case, no full-width forms, nothing invisible, one space
 * between words and none between Chinese, Japanese or Korean and other scripts. Only for comparing. Pure.
 */

export function fold(text: string): string {
  // Most texts are plain ASCII, where folding is letter case and spaces.
  if (PLAIN.test(text)) return text.toLowerCase().replace(/ {2,}/g, ' ').trim();
  const seen = text.replace(/\s+/g, ' ').replace(UNSEEN, '').normalize('NFKC');
  return seen.toLowerCase().replace(/ {2,}/g, ' ').replace(BETWEEN_SCRIPTS, '').trim();
}

const PLAIN = /^[ -~]*$/;

/** Control and format characters, and the marks that choose between two drawings of one sign. */
const UNSEEN = /[\p{Cc}\p{Cf}]|\ufe0e|\ufe0f/gu;

/** People write `创建 PRD` and `创建PRD` for the same thing. */
const BETWEEN_SCRIPTS =
  /(?<=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]) (?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}]) (?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])/gu;

/** The short code that menus put in brackets: `[M]`, `[WS]`. Letter case counts, `[new]` is a word. */
export function findCode(text: string): string | undefined {
  return text.includes('[') ? CODE.exec(text)?.[1] : undefined;
}

const CODE = /\[(\p{L}|\p{N}|[A-Z0-9]{2,3})\]/u;
