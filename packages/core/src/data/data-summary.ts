/**
 * What is said about a document in one line: what it is made of, by name and number. Also where it went wrong, for one
 * that is not what its name says. Pure.
 */
import { toVisible } from '../prompt/data-block.ts';

export interface DataText {
  readonly text: string;
  /** False where only the beginning of the file was read: what ends there is no mistake. */
  readonly isWhole: boolean;
}

export type DataSummary =
  | { readonly kind: 'told'; readonly summary: string; readonly note?: string }
  /** Nothing of its structure is looked at, for this reason; it is told as text. */
  | { readonly kind: 'as-text'; readonly note: string }
  | { readonly kind: 'broken'; readonly reason: string; readonly place: TextLocation };

export interface TextLocation {
  readonly line: number;
  readonly column?: number;
}

export function summarized(summary: string): DataSummary {
  return { kind: 'told', summary };
}

export function broken(text: string, offset: number, reason: string): DataSummary {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++;
    start = at + 1;
  }
  return { kind: 'broken', reason, place: { line, column: offset - start + 1 } };
}

const MAX_NAMES = 20;
const MAX_NAME_CHARS = 40;

/** `a, b, c and 4 more` */
export function toNameList(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, MAX_NAMES);
  const left = count - shown.length;
  return `${shown.map(toName).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** As it is where it cannot be misread, else as a JSON string; short. */
export function toName(name: string): string {
  const short = name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name;
  const isPlain = /^[\p{L}\p{N}_@$#:.…/-](?:[\p{L}\p{M}\p{N}_@$#:.…/ -]*[\p{L}\p{M}\p{N}_@$#:.…/-])?$/u.test(
    short,
  );
  return isPlain ? short : toVisible(JSON.stringify(short));
}

/** `1 row`, `12 rows` */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
