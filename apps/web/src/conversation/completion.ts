/**
 * What is being typed at the cursor that can be completed: a command at the start of the text, a file behind an `@`.
 */
export interface CompletionQuery {
  readonly kind: 'command' | 'file';
  readonly query: string;
  /** What a choice takes the place of. */
  readonly start: number;
  readonly end: number;
}

export function findCompletion(text: string, cursor: number): CompletionQuery | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/(\p{L}*)$/u.exec(before);
  if (command) return { kind: 'command', query: command[1] ?? '', start: 0, end: cursor };
  const file = /(?:^|\s)@([^\s@]{0,200})$/u.exec(before);
  if (!file) return undefined;
  const query = file[1] ?? '';
  return { kind: 'file', query, start: cursor - query.length - 1, end: cursor };
}

/** The text with the choice in it, and where the cursor goes. */
export function complete(
  text: string,
  { kind, start, end }: CompletionQuery,
  choice: string,
): { readonly text: string; readonly cursor: number } {
  return putInto(text, { start, end }, kind === 'command' ? `/${choice}` : toMention(toMountPath(choice)));
}

/** What names no mount is in the project. */
export function toMountPath(choice: string): string {
  return choice.startsWith('@') ? choice : `@project/${choice}`;
}

/** A path as it is mentioned: what a model can read it by. With gaps in it one could not see where it ends. */
export function toMention(mountPath: string): string {
  return /\s/.test(mountPath) ? `\`${mountPath.replaceAll('`', '')}\`` : mountPath;
}

/** One goes on typing in a folder; behind everything else there is a gap. */
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
