/**
 * Normalizes menu names for comparison. Input is never modified.
 */
import { fold } from '@crewagent/protocol/folded-text';
import { toPlainText } from '@crewagent/protocol/plain-text';

/** `" *Create-Story "` → `"create-story"`. A leading star is a prefix of commands, not part of their name. */
export function toKey(text: string): string {
  return withoutStar(fold(text));
}

/** Keeps a lone star, so that the key is not empty. */
function withoutStar(folded: string): string {
  return folded.replace(/^\*+ ?(?=[^* ])/, '');
}

/** Treats hyphens and underscores as spaces; takes a key. */
export function toLoose(key: string): string {
  return fold(key.replace(/[-_ ]+/g, ' '));
}

/** `"spm or fuzzy match start party mode"` → both alternatives; any other key alone. */
export function toAlternatives(key: string): readonly string[] {
  if (!key.includes(OR)) return [key];
  return key.split(/ or fuzzy match (?:on )?/).filter((part) => part !== '');
}

const OR = ' or fuzzy match ';

/** Shortened to one line, and safe to show. */
export function toShown(text: string, maxLength = 80): string {
  const plain = toPlainText(text.trim().slice(0, maxLength + 1));
  return plain.length > maxLength ? `${plain.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…` : plain;
}
