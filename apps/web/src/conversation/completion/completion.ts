/**
 * Finds what can be completed at the cursor: a command at the start of the text, a file after `@`.
 */
import { toMention } from '../../run/attachments/mention.ts';

export interface CompletionQuery {
  readonly kind: 'command' | 'file';
  readonly query: string;
  /** Start of the range that a choice replaces. */
  readonly start: number;
  readonly end: number;
}

export function findCompletion(text: string, cursor: number): CompletionQuery | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/(\p{L}*)$/u.exec(before);
  if (command) return { kind: 'command', query: command[1] ?? '', start: 0, end: cursor };
  const file = /(?:^|\s)@(\S{0,200})$/u.exec(before);
  if (!file) return undefined;
  const query = file[1] ?? '';
  return { kind: 'file', query, start: cursor - query.length - 1, end: cursor };
}

/** The text with the inserted choice, a command or a mount path, and the new cursor position. */
export function complete(
  text: string,
  { kind, start, end }: CompletionQuery,
  choice: string,
): { readonly text: string; readonly cursor: number } {
  return putInto(text, { start, end }, kind === 'command' ? `/${choice}` : toMention(choice));
}

/** For display: paths of the project have no mount, unless the path could be mistaken for one. */
export function toShortPath(mountPath: string): string {
  const path = mountPath.replace(/^@project\//, '');
  return path.startsWith('@') ? mountPath : path;
}

/** A space follows, except after a folder, where typing continues. */
export function putInto(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  words: string,
): { readonly text: string; readonly cursor: number } {
  const gap = words.endsWith('/') ? '' : ' ';
  const before = text.slice(0, start);
  const lead = before === '' || /\s$/.test(before) ? '' : ' ';
  const insert = `${lead}${words}${gap}`;
  const rest = text.slice(end).replace(/^ /, gap === '' ? ' ' : '');
  return { text: before + insert + rest, cursor: start + insert.length };
}
