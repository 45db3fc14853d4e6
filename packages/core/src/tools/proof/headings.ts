/**
 * Headings of Markdown documents, and whether a document has those of a template. A `{{placeholder}}` of a template stands for
 * any text. Pure.
 */
import { findHeadings } from '../../base/markdown-headings.ts';

/** In order, outside of code blocks and frontmatter. */
export function readHeadings(text: string): string[] {
  return findHeadings(text).map((heading) => heading.text);
}

const PLACEHOLDER = /\{\{[^{}]*\}\}|\{[^{}]*\}|\[[a-z_ -]+\]/gi;

/** Compares without case, emphasis and repeated spaces. */
export function isSameHeading(wanted: string, found: string): boolean {
  const parts = wanted.split(PLACEHOLDER).map(toPlain);
  const text = toPlain(found);
  if (parts.length === 1) return text === parts[0];
  const [first = '', ...rest] = parts;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const next = index === rest.length - 1 ? text.length - part.length : text.indexOf(part, at);
    if (next < at || !text.startsWith(part, next)) return false;
    at = next + part.length;
  }
  return true;
}

function toPlain(heading: string): string {
  return heading.replace(/[*_`]/g, '').replace(/\s+/g, ' ').trim().toLowerCase();
}
