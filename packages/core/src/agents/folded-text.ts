/**
 * The form in which typed words and the words of a menu are compared: no letter case, no full-width forms, nothing that
 * cannot be seen, one space between words. Only for comparing; what was typed is never changed.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';

/** `" *Create-Story "` → `"create-story"`. A leading star is a way of writing commands, not part of their name. */
export function toKey(text: string): string {
  return withoutStar(fold(text));
}

export function fold(text: string): string {
  // Most texts are plain ASCII, where folding is letter case and spaces.
  const seen = PLAIN.test(text) ? text : text.replace(/\s+/g, ' ').replace(UNSEEN, '').normalize('NFKC');
  return seen.toLowerCase().replace(/ {2,}/g, ' ').trim();
}

const PLAIN = /^[ -~]*$/;

/** Control and format characters, and the marks that choose between two drawings of one sign. */
const UNSEEN = /[\p{Cc}\p{Cf}]|\ufe0e|\ufe0f/gu;

/** A star alone stays: something must be left to compare. */
function withoutStar(folded: string): string {
  return folded.replace(/^\*+ ?(?=[^* ])/, '');
}

/** Hyphens and underscores separate words as spaces do; takes a key. */
export function toLoose(key: string): string {
  return key.replace(/[-_ ]+/g, ' ').trim();
}

/** `"spm or fuzzy match start party mode"` → both ways to say it; any other key alone. */
export function toAlternatives(key: string): readonly string[] {
  if (!key.includes(OR)) return [key];
  return key.split(/ or fuzzy match (?:on )?/).filter((part) => part !== '');
}

const OR = ' or fuzzy match ';

/** The short code that menus put in brackets: `[M]`, `[WS]`. Letter case counts, `[new]` is a word. */
export function findCode(text: string): string | undefined {
  return text.includes('[') ? CODE.exec(text)?.[1] : undefined;
}

const CODE = /\[(\p{L}|\p{N}|[A-Z0-9]{2,3})\]/u;

/** Short enough for a line, and safe to show. */
export function toShown(text: string, most = 80): string {
  const plain = toPlainText(text.trim().slice(0, most + 1));
  return plain.length > most ? `${plain.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : plain;
}
