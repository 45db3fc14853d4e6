/** The icon of an agent: an emoji or two letters, never cut in half. Pure. */
import { toShownProse } from '../ui/sanitize-text.ts';

export function toSign(icon: string): string {
  const signs = new Intl.Segmenter().segment(toShownProse(icon).trim());
  return Array.from(signs, ({ segment }) => segment)
    .slice(0, 2)
    .join('');
}
