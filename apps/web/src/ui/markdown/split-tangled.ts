/**
 * Finds parts of a Markdown text that would be slow to parse: emphasis takes quadratic time in its delimiters, headings in the
 * lines of a paragraph, quotes in their depth; a table repeats all its columns in every row. Pure.
 */

export interface Part {
  readonly text: string;
  readonly isTangled: boolean;
}

/** The text in order; a single part if nothing is tangled. Code is linear to parse, whatever it contains. */
export function splitTangled(text: string): readonly Part[] {
  const parts: { text: string; isTangled: boolean }[] = [];
  for (const stretch of stretchesOf(text)) {
    const last = parts.at(-1);
    if (last?.isTangled === stretch.isTangled) last.text += stretch.text;
    else parts.push(stretch);
  }
  return parts;
}

/** Paragraphs, each with the empty lines that follow it. */
function* stretchesOf(text: string): Generator<{ text: string; isTangled: boolean }> {
  let fence: string | undefined;
  let start = 0;
  let cost = NOTHING;
  let isBehindEmpty = false;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end + 1;
    const line = text.slice(at, next);
    const isEmpty = line.trim() === '';
    if (fence === undefined && isBehindEmpty && !isEmpty) {
      yield { text: text.slice(start, at), isTangled: isTangled(cost) };
      [start, cost] = [at, NOTHING];
    }
    isBehindEmpty = isEmpty;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else cost = add(cost, line);
    at = next;
  }
  if (start < text.length) yield { text: text.slice(start), isTangled: isTangled(cost) };
}

interface Cost {
  readonly length: number;
  readonly lines: number;
  readonly marks: number;
  readonly columns: number;
  readonly quotes: number;
}

const NOTHING: Cost = { length: 0, lines: 0, marks: 0, columns: 0, quotes: 0 };

function add(cost: Cost, line: string): Cost {
  return {
    length: cost.length + line.length,
    lines: cost.lines + 1,
    marks: cost.marks + count(line, /[*_~]/g),
    columns: Math.max(cost.columns, count(line, /\|/g)),
    quotes: Math.max(cost.quotes, count(/^[ >]*/.exec(line)?.[0] ?? '', />/g)),
  };
}

function count(line: string, mark: RegExp): number {
  return line.match(mark)?.length ?? 0;
}

function isTangled({ length, lines, marks, columns, quotes }: Cost): boolean {
  return (
    length > LIMITS.length ||
    lines > LIMITS.lines ||
    marks > LIMITS.marks ||
    lines * columns > LIMITS.cells ||
    quotes > LIMITS.quotes
  );
}

export const LIMITS = { length: 40_000, lines: 2_000, marks: 2_000, cells: 20_000, quotes: 50 };
