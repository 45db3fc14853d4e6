/**
 * Headings of Markdown documents, and whether a document has those of a template. A `{{placeholder}}` of a template stands for
 * any text. Pure.
 */
import { markdownLines } from '../../base/named-files.ts';

const ATX = /^ {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$/;

/** In order, outside of code blocks and frontmatter. */
export function readHeadings(text: string): string[] {
  const body = text.replace(/^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/, '');
  const headings: string[] = [];
  for (const { text: line, code } of markdownLines(body)) {
    const [, heading] = (code === undefined && ATX.exec(line)) || [];
    if (heading !== undefined) headings.push(heading);
  }
  return headings;
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
