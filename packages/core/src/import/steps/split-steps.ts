/**
 * Splits a long instruction into its steps: at `<step n="1" goal="…">` or `<step name="…">`, or at headings "Step 1: …" of
 * skills. Nothing is lost: text outside of the steps is returned as well. Pure.
 */
import { attributesOf } from '../source/read-agent.ts';

export interface Segment {
  /** As written: `1`, `2a`, `0.5`. */
  readonly number: string;
  /** What the text calls it: `step`, `phase` or `stage`; other numbers in the text are not about it. */
  readonly unit: string;
  readonly title: string;
  /** Byte for byte, including its tags or heading. */
  readonly text: string;
  /** First line in the text, from 0. */
  readonly line: number;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface SplitText {
  readonly steps: readonly Segment[];
  /** All text outside of the steps, in order. */
  readonly rest: string;
}

/** Splits at tags, else at headings; undefined if there are fewer than two steps. */
export function splitSteps(text: string): SplitText | undefined {
  const split = splitAtTags(text);
  return split.steps.length > 1 ? split : splitAtHeadings(text);
}

export function splitAtTags(text: string): SplitText {
  const steps: Segment[] = [];
  let rest = '';
  let at = 0;
  const open = /<step\s([^>]{0,2000})>/g;
  for (let match = open.exec(text); match; match = open.exec(text)) {
    const end = text.indexOf('</step>', match.index);
    if (end === -1) break;
    const attributes = attributesOf(match[1] ?? '');
    // The indentation of the tag belongs to the step.
    const start = text.lastIndexOf('\n', match.index) + 1;
    const from = text.slice(start, match.index).trim() === '' ? start : match.index;
    rest += text.slice(at, from);
    at = end + '</step>'.length;
    const number = attributes.n ?? String(steps.length + 1);
    const title = attributes.goal ?? attributes.title ?? toTitle(attributes.name) ?? `Step ${number}`;
    const body = text.slice(from, at);
    steps.push({ number, unit: 'step', title, text: body, line: lineAt(text, from), attributes });
    open.lastIndex = at;
  }
  return { steps, rest: rest + text.slice(at) };
}

/** `load_plan` → `Load plan`. */
function toTitle(name: string | undefined): string | undefined {
  const words = name?.replace(/[_-]+/g, ' ').trim();
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : undefined;
}

interface Heading {
  readonly line: number;
  readonly level: number;
  readonly title: string;
}

const NUMBERED = /^(step|phase|stage)\s+(\d{1,3}[a-z]?)\b[\s:.–—-]*(.*)$/i;

function splitAtHeadings(text: string): SplitText | undefined {
  const lines = text.split('\n');
  const headings = findHeadings(lines);
  const first = headings.find(({ title }) => NUMBERED.test(title));
  const parent = headings
    .filter(({ line, level }) => first && line < first.line && level < first.level)
    .at(-1);
  // Activation steps are preparation, not part of the workflow.
  if (!first || /activation|set-?up|initiali[sz]/i.test(parent?.title ?? '')) return undefined;
  const starts = headings.filter(({ level, title }) => level === first.level && NUMBERED.test(title));
  if (starts.length < 2) return undefined;
  const isInside = new Set<number>();
  const steps = starts.map(({ line, title, level }): Segment => {
    const end = headings.find((next) => next.line > line && next.level <= level)?.line ?? lines.length;
    for (let at = line; at < end; at++) isInside.add(at);
    const [, unit = '', number = '', heading = ''] = NUMBERED.exec(title) ?? [];
    const isEnd = end === lines.length;
    const body = lines.slice(line, end).join('\n') + (isEnd ? '' : '\n');
    const named = { number, unit: unit.toLowerCase(), title: heading.trim() || title };
    return { ...named, text: body, line, attributes: {} };
  });
  const rest = lines.filter((_, line) => !isInside.has(line)).join('\n');
  return { steps, rest };
}

function findHeadings(lines: readonly string[]): Heading[] {
  let fence: string | undefined;
  return lines.flatMap((text, line): Heading[] => {
    const mark = /^\s*(```|~~~)/.exec(text)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark))
      fence = fence === undefined ? mark : undefined;
    const [, hashes, title] =
      fence === undefined && text.length < 500 ? (/^(#{1,6})[ \t]+(.*?)[ \t#\r]*$/.exec(text) ?? []) : [];
    return hashes === undefined || title === undefined ? [] : [{ line, level: hashes.length, title }];
  });
}

function lineAt(text: string, offset: number): number {
  let line = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** By number, then by letter: 0.5, 1, 2, 2a, 10. */
export function byNumber(a: Segment, b: Segment): number {
  const difference = Number.parseFloat(a.number) - Number.parseFloat(b.number);
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  return a.number < b.number ? -1 : a.number > b.number ? 1 : 0;
}
