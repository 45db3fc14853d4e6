/**
 * Names of a menu in the form in which they are compared. What was typed is never changed.
 */
import { fold } from '@crewagent/protocol/folded-text';
import { toPlainText } from '@crewagent/protocol/plain-text';

/** `" *Create-Story "` → `"create-story"`. A leading star is a way of writing commands, not part of their name. */
export function toKey(text: string): string {
  return withoutStar(fold(text));
}

/** A star alone stays: something must be left to compare. */
function withoutStar(folded: string): string {
  return folded.replace(/^\*+ ?(?=[^* ])/, '');
}

/** Hyphens and underscores separate words as spaces do; takes a key. */
export function toLoose(key: string): string {
  return fold(key.replace(/[-_ ]+/g, ' '));
}

/** `"spm or fuzzy match start party mode"` → both ways to say it; any other key alone. */
export function toAlternatives(key: string): readonly string[] {
  if (!key.includes(OR)) return [key];
  return key.split(/ or fuzzy match (?:on )?/).filter((part) => part !== '');
}

const OR = ' or fuzzy match ';

/** Short enough for a line, and safe to show. */
export function toShown(text: string, most = 80): string {
  const plain = toPlainText(text.trim().slice(0, most + 1));
  return plain.length > most ? `${plain.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : plain;
}
