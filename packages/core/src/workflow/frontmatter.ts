/**
 * Markdown frontmatter: where the YAML block ends, and what it says. Hostile text ends in a reason,
 * never in an exception, code execution or unbounded work. Knows no schema.
 */
import { parseFullYaml, type YamlFailure } from './full-yaml.ts';
import { parsePlainYaml } from './plain-yaml.ts';

/** Far above any real document; it bounds the time the YAML parser can be kept busy. */
export const MAX_FRONTMATTER_CHARS = 65_536;

export interface Frontmatter {
  readonly ok: true;
  readonly value: Record<string, unknown>;
  /** The text after the closing fence, byte for byte. */
  readonly body: string;
  /** The line of the markdown file where a field stands, or of its nearest ancestor that is there. */
  lineOf(path: readonly PropertyKey[]): number;
}

export interface FrontmatterFailure extends Omit<YamlFailure, 'kind'> {
  /** No block at all, YAML that cannot be read, or YAML that is no map. */
  readonly kind: 'absent' | YamlFailure['kind'];
}

export interface FrontmatterOptions {
  /** Bare YAML dates in `updatedAt` and `decisionLog[].decidedAt` come out as ISO date-times. */
  readonly expandDates?: boolean;
  /** Asked before the slow parser is used on a text of this length; false refuses it. */
  mayParse?(chars: number): boolean;
}

export function parseFrontmatter(
  text: string,
  options: FrontmatterOptions = {},
): Frontmatter | FrontmatterFailure {
  const split = splitFrontmatter(text);
  if (!split.ok) return split;
  const { yaml, body } = split;
  if (yaml.length > MAX_FRONTMATTER_CHARS) return tooLong();
  const plain = parsePlainYaml(yaml);
  if (plain) {
    // Lines are asked for only when something is wrong; then the full parser is asked, once.
    let full: ReturnType<typeof parseFullYaml> | undefined;
    const lineOf = (path: readonly PropertyKey[]): number => {
      full ??= parseFullYaml(yaml);
      return full.ok ? full.lineOf(path) : full.line;
    };
    return { ok: true, value: plain, body, lineOf };
  }
  if (options.mayParse?.(yaml.length) === false) return tooLong();
  const parsed = parseFullYaml(yaml, options.expandDates);
  return parsed.ok ? { ...parsed, body } : parsed;
}

type Split = { ok: true; yaml: string; body: string } | FrontmatterFailure;

/** An optional BOM, `---` alone on the first line, closed by `---` alone on a line. LF or CRLF. */
function splitFrontmatter(text: string): Split {
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

function tooLong(): FrontmatterFailure {
  return { ok: false, kind: 'unreadable', reason: 'it is longer than can be read safely', line: 1 };
}
