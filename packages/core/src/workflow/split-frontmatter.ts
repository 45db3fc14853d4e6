/**
 * Splits Markdown into its frontmatter and body. Independent of schemas and YAML.
 */
import type { YamlFailure, YamlMap } from './full-yaml.ts';

/** Far above any real document; bounds the time of the YAML parser. */
export const MAX_FRONTMATTER_CHARS = 65_536;

export interface Frontmatter {
  readonly ok: true;
  readonly value: Record<string, unknown>;
  /** Text after the closing fence, byte for byte. */
  readonly body: string;
}

export interface FrontmatterFailure extends Omit<YamlFailure, 'kind'> {
  /** No frontmatter, YAML over the size or time limit, invalid YAML, or YAML that is not a map. */
  readonly kind: 'absent' | 'too-long' | 'too-slow' | YamlFailure['kind'];
}

export interface FrontmatterLimits {
  readonly maxChars: number;
  /** Limit for text that needs the full parser. */
  readonly maxFullChars: number;
}

export const DOCUMENT_LIMITS: FrontmatterLimits = {
  maxChars: MAX_FRONTMATTER_CHARS,
  maxFullChars: MAX_FRONTMATTER_CHARS,
};

/** Runs the full parser on a text of this length, or returns why not. */
export type FullParse = (
  chars: number,
  parse: () => YamlMap | YamlFailure,
) => YamlMap | YamlFailure | 'too-long' | 'too-slow';

export interface FrontmatterOptions {
  /** Default: `DOCUMENT_LIMITS`. */
  readonly limits?: FrontmatterLimits;
  /** Converts bare YAML dates in `updatedAt` and `decisionLog[].decidedAt` to ISO date-times. */
  readonly expandDates?: boolean;
  /** Bounds the use of the full parser; without it every text within the limits is parsed. */
  readonly tryParse?: FullParse;
}

export type Split = { ok: true; yaml: string; body: string } | FrontmatterFailure;

/** Expects an optional BOM, `---` alone on the first line, and `---` alone on a later line. LF or CRLF. */
export function splitFrontmatter(text: string): Split {
  const open = /^\uFEFF?---[ \t]*\r?\n/.exec(text);
  if (!open) return absent('the file does not begin with a line of three dashes');
  const content = text.slice(open[0].length);
  const end = /^---[ \t]*(?:\r?\n|$)/m.exec(content);
  if (!end) return absent('the block opened by the first line is never closed by a line of three dashes');
  return { ok: true, yaml: content.slice(0, end.index), body: content.slice(end.index + end[0].length) };
}

function absent(reason: string): FrontmatterFailure {
  return { ok: false, kind: 'absent', reason, line: 1 };
}

export function tooLong(): FrontmatterFailure {
  return { ok: false, kind: 'too-long', reason: 'it is longer than the limit', line: 1 };
}

export function tooSlow(): FrontmatterFailure {
  const reason = 'parsing the YAML of this package takes too long, so this file was not parsed';
  return { ok: false, kind: 'too-slow', reason, line: 1 };
}
