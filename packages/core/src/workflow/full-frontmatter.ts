/**
 * Synchronous frontmatter parsing with the full YAML parser and line numbers of fields. Used for packages; a run reads
 * its documents with `readFrontmatter`.
 */

import { parseFullYaml } from './full-yaml.ts';
import { parsePlainYaml } from './plain-yaml.ts';
import {
  DOCUMENT_LIMITS,
  type Frontmatter,
  type FrontmatterFailure,
  type FrontmatterOptions,
  splitFrontmatter,
  tooLong,
  tooSlow,
} from './split-frontmatter.ts';

export interface LocatedFrontmatter extends Frontmatter {
  /** Line of a field in the markdown file, or of its nearest existing ancestor. */
  lineOf(path: readonly PropertyKey[]): number;
}

export function parseFrontmatter(
  text: string,
  options: FrontmatterOptions = {},
): LocatedFrontmatter | FrontmatterFailure {
  const split = splitFrontmatter(text);
  if (!split.ok) return split;
  const { yaml, body } = split;
  const limits = options.limits ?? DOCUMENT_LIMITS;
  if (yaml.length > limits.maxChars) return tooLong();
  const plain = parsePlainYaml(yaml);
  if (plain) {
    // Line numbers are needed only for errors, so the full parser runs on demand.
    let full: ReturnType<typeof parseFullYaml> | undefined;
    const lineOf = (path: readonly PropertyKey[]): number => {
      full ??= parseFullYaml(yaml);
      return full.ok ? full.lineOf(path) : full.line;
    };
    return { ok: true, value: plain, body, lineOf };
  }
  if (yaml.length > limits.maxFullChars) return tooLong();
  const parse = () => parseFullYaml(yaml, options.expandDates);
  const parsed = options.tryParse ? options.tryParse(yaml.length, parse) : parse();
  if (parsed === 'too-long') return tooLong();
  if (parsed === 'too-slow') return tooSlow();
  return parsed.ok ? { ...parsed, body } : parsed;
}
