/**
 * Headings of Markdown documents with their lines, and the sections below them. Code blocks, comments and frontmatter have none.
 * Pure, and linear in the length of the text.
 */
import { markdownLines } from './named-files.ts';

export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  readonly text: string;
  readonly line: number;
  /** Of the last line of the heading: an underlined one has two. */
  readonly lastLine: number;
}

const FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;
const ATX = /^ {0,3}(#{1,6})[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/;
/** A line that an underline can turn into a heading: no list, quote, table or rule. */
const PLAIN = /^ {0,3}(?![-+*>|#]|\d+[.)])\S/;

/** Some line of every document with headings. */
const HEADING_MARK = /^ {0,3}(?:#|=|--)/m;

export function findHeadings(document: string): Heading[] {
  if (!HEADING_MARK.test(document)) return [];
  const [frontmatter = ''] = FRONTMATTER.exec(document) ?? [];
  const firstLine = frontmatter.split('\n').length;
  const headings: Heading[] = [];
  let isComment = false;
  /** The only line so far of a paragraph. */
  let paragraph: { readonly text: string; readonly line: number } | undefined;
  let isInside = false;
  for (const { text, line, code } of markdownLines(document.slice(frontmatter.length), firstLine)) {
    const wasComment = isComment;
    if (code === undefined) isComment = isCommentOpen(text, isComment);
    if (code !== undefined || wasComment || isComment) {
      paragraph = undefined;
      isInside = false;
      continue;
    }
    const [, marks = '', title] = ATX.exec(text) ?? [];
    const underline = paragraph?.line === line - 1 ? UNDERLINE.exec(text)?.[1] : undefined;
    if (title !== undefined) headings.push({ level: marks.length, text: title, line, lastLine: line });
    else if (paragraph && underline !== undefined)
      headings.push({
        level: underline.startsWith('=') ? 1 : 2,
        text: paragraph.text.trim(),
        line: paragraph.line,
        lastLine: line,
      });
    const isPlain = title === undefined && underline === undefined && text.trim() !== '';
    paragraph = isPlain && !isInside && PLAIN.test(text) ? { text, line } : undefined;
    isInside = isPlain;
  }
  return headings;
}

function isCommentOpen(line: string, wasOpen: boolean): boolean {
  const start = wasOpen ? 0 : line.search(/^ {0,3}<!--/);
  return start !== -1 && !line.includes('-->', start);
}

export interface Section {
  readonly heading: Heading;
  /** Of the last line before the next heading of this level or above; undefined at the end of the document. */
  readonly endLine: number | undefined;
}

/** All sections with this heading. `## Title` is only of that level, `Title` of any. */
export function findSections(headings: readonly Heading[], wanted: string): Section[] {
  const [, marks, title = wanted] = ATX.exec(wanted.trim()) ?? [];
  const atLevel = headings.filter(({ level }) => marks === undefined || level === marks.length);
  const exact = atLevel.filter(({ text }) => text === title.trim());
  const found =
    exact.length > 0 ? exact : atLevel.filter(({ text }) => toPlainHeading(text) === toPlainHeading(title));
  return found.map((heading) => {
    const next = headings.find(({ line, level }) => line > heading.line && level <= heading.level);
    return { heading, endLine: next && next.line - 1 };
  });
}

/** One line per heading: `12 ## Gaps`. Lower levels are left out if there are too many. */
export function toOutline(headings: readonly Heading[], maxLines: number): string {
  const shown =
    [6, 5, 4, 3, 2, 1]
      .map((level) => headings.filter((heading) => heading.level <= level))
      .find(({ length }) => length <= maxLines) ?? headings.filter(({ level }) => level === 1);
  const lines = shown
    .slice(0, maxLines)
    .map(({ line, level, text }) => `${line} ${'#'.repeat(level)} ${text.slice(0, MAX_TITLE)}`);
  const left = headings.length - lines.length;
  return [...lines, ...(left > 0 ? [`… ${left} more`] : [])].join('\n');
}

const MAX_TITLE = 80;

/** Why no single section can be chosen, as a predicate with the headings that there are. */
export function sectionIssue(headings: readonly Heading[], wanted: string): string {
  const found = findSections(headings, wanted);
  const name = JSON.stringify(wanted.slice(0, 120));
  if (found.length > 1) {
    const places = found.map(({ heading }) => `${'#'.repeat(heading.level)} at line ${heading.line}`);
    return `has ${found.length} sections ${name} (${places.slice(0, 10).join(', ')}); name one that is unique, or use lines`;
  }
  if (headings.length === 0) return `has no section ${name}; it has no headings`;
  return `has no section ${name}; its headings are:\n${toOutline(headings, MAX_NAMED)}`;
}

const MAX_NAMED = 40;

/** As headings are compared. */
export function toPlainHeading(heading: string): string {
  return heading.replace(/[*_`]/g, '').replace(/\s+/g, ' ').trim().toLowerCase();
}
