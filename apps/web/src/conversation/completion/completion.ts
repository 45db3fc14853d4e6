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
  const file = /(?:^|\s)@(\S{0,200})$/u.exec(before);
  if (!file) return undefined;
  const query = file[1] ?? '';
  return { kind: 'file', query, start: cursor - query.length - 1, end: cursor };
}

/** The text with the choice in it, a command or a mount path, and where the cursor goes. */
export function complete(
  text: string,
  { kind, start, end }: CompletionQuery,
  choice: string,
): { readonly text: string; readonly cursor: number } {
  return putInto(text, { start, end }, kind === 'command' ? `/${choice}` : toMention(choice));
}

/** For the eye: what is in the project needs no mount, unless its name could be taken for one. */
export function toShortPath(mountPath: string): string {
  const path = mountPath.replace(/^@project\//, '');
  return path.startsWith('@') ? mountPath : path;
}

/** A path as it is mentioned: what a model can read it by. With gaps in it one could not see where it ends. */
export function toMention(mountPath: string): string {
  return /\s/.test(mountPath) ? fence(mountPath) : mountPath;
}

/** As code in Markdown: no backtick of its own ends it. */
function fence(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const ticks = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  const gap = text.endsWith('`') ? ' ' : '';
  return `${ticks}${gap}${text}${gap}${ticks}`;
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
