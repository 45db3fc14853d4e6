/**
 * Summarises YAML with the parsers used for packages, if that is fast and safe. Pure.
 */
import { parseFullYaml } from '../workflow/full-yaml.ts';
import { parsePlainYaml } from '../workflow/plain-yaml.ts';
import { MAX_FRONTMATTER_CHARS } from '../workflow/split-frontmatter.ts';
import { type DataSummary, describeValue, summarized } from './summarise-data.ts';

export function summariseYaml(text: string): DataSummary {
  const plain = parsePlainYaml(text);
  if (plain) return summarized(describeValue(plain));
  if (text.length > MAX_FRONTMATTER_CHARS)
    return { kind: 'as-text', note: 'it is too long to be parsed; it is treated as text' };
  // A value that is not a map is indented below a key: the parser of frontmatter accepts maps only.
  const map = parseFullYaml(text);
  if (map.ok) return summarized(describeValue(map.value));
  const parsed =
    map.kind === 'unreadable' ? map : parseFullYaml(`${WRAP}:\n${text.replace(/^(?=.)/gm, ' ')}`);
  if (parsed.ok) return summarized(describeValue(parsed.value[WRAP]));
  const line = parsed.line - (parsed === map ? FENCE_LINES : FENCE_LINES + 1);
  const lines = text.trimEnd().split('\n').length;
  return { kind: 'broken', reason: parsed.reason, location: { line: Math.min(Math.max(line, 1), lines) } };
}

const WRAP = 'value';
/** The parser of frontmatter counts the fence above the text. */
const FENCE_LINES = 1;
