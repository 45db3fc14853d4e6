/**
 * Tests lines in this process: a literal text as all search engines do, or a pattern of ripgrep as JavaScript has it.
 * A pattern may never end, so it is used in worker threads only. Pure.
 */
import { InvalidPattern, type LineQuery } from './line-finder.ts';

/** The column of the first match (1-based, in UTF-16 units), or undefined. Throws InvalidPattern. */
export type LineMatcher = (line: string) => number | undefined;

export function createLineMatcher(query: LineQuery): LineMatcher {
  if (!query.isRegex && query.caseSensitive) return (line) => toColumn(line.indexOf(query.text));
  const pattern = query.isRegex ? toPattern(query) : new RegExp(escapeRegExp(query.text), 'iu');
  return (line) => {
    try {
      return toColumn(line.search(pattern));
    } catch {
      // The line overflows the stack of the regex engine.
      return undefined;
    }
  };
}

/** Translates ripgrep's regex syntax to JavaScript's. */
function toPattern({ text, caseSensitive }: LineQuery): RegExp {
  const source = text
    .replace(/^\(\?i\)/, '')
    .replaceAll('(?P<', '(?<')
    .replace(/\\([!-/:-@[-`{-~])/g, (_, escaped: string) => `\\x${escaped.charCodeAt(0).toString(16)}`);
  try {
    return new RegExp(source, caseSensitive && !text.startsWith('(?i)') ? 'u' : 'iu');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new InvalidPattern(error.message.split(': ').at(-1));
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function toColumn(index: number): number | undefined {
  return index === -1 ? undefined : index + 1;
}
