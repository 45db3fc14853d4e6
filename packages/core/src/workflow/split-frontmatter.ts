/**
 * Markdown frontmatter: where the YAML block begins and ends. Knows no schema and no YAML.
 */
import type { YamlFailure, YamlMap } from './full-yaml.ts';

/** Far above any real document; it bounds the time the YAML parser can be kept busy. */
export const MAX_FRONTMATTER_CHARS = 65_536;

export interface Frontmatter {
  readonly ok: true;
  readonly value: Record<string, unknown>;
  /** The text after the closing fence, byte for byte. */
  readonly body: string;
}

export interface FrontmatterFailure extends Omit<YamlFailure, 'kind'> {
  /** No block at all, more or slower YAML than is read, YAML that cannot be read, or YAML that is no map. */
  readonly kind: 'absent' | 'too-long' | 'too-slow' | YamlFailure['kind'];
}

export interface FrontmatterLimits {
  readonly maxChars: number;
  /** Of a text that only the full parser understands. */
  readonly maxFullChars: number;
}

export const DOCUMENT_LIMITS: FrontmatterLimits = {
  maxChars: MAX_FRONTMATTER_CHARS,
  maxFullChars: MAX_FRONTMATTER_CHARS,
};

/** Calls the full parser on a text of this length, or says why not. */
export type FullParse = (
  chars: number,
  parse: () => YamlMap | YamlFailure,
) => YamlMap | YamlFailure | 'too-long' | 'too-slow';

export interface FrontmatterOptions {
  /** Those of an ordinary document if left out. */
  readonly limits?: FrontmatterLimits;
  /** Bare YAML dates in `updatedAt` and `decisionLog[].decidedAt` come out as ISO date-times. */
  readonly expandDates?: boolean;
  /** Bounds the use of the full parser; without it every text within the limits is parsed. */
  readonly tryParse?: FullParse;
}

export type Split = { ok: true; yaml: string; body: string } | FrontmatterFailure;

/** An optional BOM, `---` alone on the first line, closed by `---` alone on a line. LF or CRLF. */
export function splitFrontmatter(text: string): Split {
  const open = /^\uFEFF?---[ \t]*\r?\n/.exec(text);
  if (!open) return absent('the file does not begin with a line of three dashes');
  const rest = text.slice(open[0].length);
  const end = /^---[ \t]*(?:\r?\n|$)/m.exec(rest);
  if (!end) return absent('the block opened by the first line is never closed by a line of three dashes');
  return { ok: true, yaml: rest.slice(0, end.index), body: rest.slice(end.index + end[0].length) };
}

function absent(reason: string): FrontmatterFailure {
  return { ok: false, kind: 'absent', reason, line: 1 };
}

export function tooLong(): FrontmatterFailure {
  return { ok: false, kind: 'too-long', reason: 'it is longer than can be read safely', line: 1 };
}

export function tooSlow(): FrontmatterFailure {
  const reason = 'the YAML of this package takes too long to read, so this file was not parsed';
  return { ok: false, kind: 'too-slow', reason, line: 1 };
}
