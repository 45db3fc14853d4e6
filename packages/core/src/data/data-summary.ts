/**
 * One-line summary of a document: its structure by names and counts, or the location of a syntax error. Pure.
 */
import { toVisible } from '../prompt/data-block.ts';
import { countLines } from '../tools/files/text-window.ts';

export interface DataText {
  readonly text: string;
  /** False if only the beginning of the file was read; then a truncated end is not an error. */
  readonly isWhole: boolean;
}

export type DataSummary =
  | { readonly kind: 'summary'; readonly summary: string; readonly note?: string }
  /** The structure is not analysed, for the reason in `note`; treated as plain text. */
  | { readonly kind: 'as-text'; readonly note: string }
  | { readonly kind: 'broken'; readonly reason: string; readonly location: TextLocation };

export interface TextLocation {
  readonly line: number;
  readonly column?: number;
}

export function summarized(summary: string): DataSummary {
  return { kind: 'summary', summary };
}

export function broken(text: string, offset: number, reason: string): DataSummary {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++;
    start = at + 1;
  }
  return { kind: 'broken', reason, location: { line, column: offset - start + 1 } };
}

const MAX_NAMES = 20;
const MAX_NAME_CHARS = 40;

/** `a, b, c and 4 more` */
export function toNameList(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, MAX_NAMES);
  const omitted = count - shown.length;
  return `${shown.map(toName).join(', ')}${omitted > 0 ? ` and ${omitted} more` : ''}`;
}

/** Unquoted if unambiguous, otherwise a JSON string; truncated. */
export function toName(name: string): string {
  const short = name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name;
  const isUnambiguous =
    /^[\p{L}\p{N}_@$#:.…/-](?:[\p{L}\p{M}\p{N}_@$#:.…/ -]*[\p{L}\p{M}\p{N}_@$#:.…/-])?$/u.test(short);
  return isUnambiguous ? short : toVisible(JSON.stringify(short));
}

/** `1 row`, `12 rows` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `12 lines`, `12 lines so far` */
export function describeLines({ text, isWhole }: DataText): string {
  return `${counted(countLines(text), 'line')}${isWhole ? '' : ' so far'}`;
}
