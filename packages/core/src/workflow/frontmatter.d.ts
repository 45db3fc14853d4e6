/**
 * Markdown frontmatter: where the YAML block ends, and what it says. Hostile text ends in a reason,
 * never in an exception, code execution or unbounded work. Knows no schema.
 */
import { type YamlFailure } from './full-yaml.ts';
/** Far above any real document; it bounds the time the YAML parser can be kept busy. */
export declare const MAX_FRONTMATTER_CHARS = 65536;
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
export declare function parseFrontmatter(
  text: string,
  options?: FrontmatterOptions,
): Frontmatter | FrontmatterFailure;
