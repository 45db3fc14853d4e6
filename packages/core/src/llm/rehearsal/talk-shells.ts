/**
 * Reads back the shells of a talk (USER_INPUT, DATA_CONTEXT, SCRIPT_DIRECTIVE, ACTION_DIRECTIVE), where no run is under
 * way. Pure. Believes what it reads: in a talk nothing is done that a forged shell could turn to harm.
 */
export type TalkShell =
  /** A run is under way; what its shells say is not looked at here. */
  | { readonly kind: 'run' }
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'data'; readonly path: string; readonly summary: string }
  | { readonly kind: 'script'; readonly path: string }
  /** `#id` of a prompt, or `inline`. */
  | { readonly kind: 'action'; readonly name: string; readonly text: string };

/** The shells of one user message, in order. Other text is passed over. */
export function parseTalkShells(text: string): TalkShell[] {
  const lines = text.split('\n');
  const shells: TalkShell[] = [];
  for (let at = 0; at < lines.length; ) {
    const kind = kindAt(lines, at);
    const end = kind === undefined ? at + 1 : endOf(kind, lines, at);
    if (kind !== undefined) shells.push(toShell(kind, lines.slice(at, end)));
    at = end;
  }
  return shells;
}

type Kind = TalkShell['kind'];

/** A head, and how the line below it must begin. */
const HEADS: readonly (readonly [head: string, below: string, kind: Kind])[] = [
  ['RUN_DIRECTIVE', '- runType: ', 'run'],
  ['NODE_BRIEF', '- currentNodeId: ', 'run'],
  ['USER_INPUT', '', 'words'],
  ['DATA_CONTEXT', '- path: ', 'data'],
  ['SCRIPT_DIRECTIVE', '- script: ', 'script'],
  ['ACTION_DIRECTIVE', '- action: ', 'action'],
];

/** A shell begins at the start of a message or after an empty line. */
function kindAt(lines: readonly string[], at: number): Kind | undefined {
  if (at > 0 && lines[at - 1] !== '') return undefined;
  const [, , kind] =
    HEADS.find(([head, below]) => lines[at] === head && (lines[at + 1] ?? '').startsWith(below)) ?? [];
  return kind;
}

/** The first line after a shell. */
function endOf(kind: Kind, lines: readonly string[], at: number): number {
  if (kind === 'data') return afterClosing('END_DATA_CONTEXT', lines, at);
  if (kind === 'action') return afterClosing('END_ACTION_DIRECTIVE', lines, at);
  let end = at + 1;
  while (end < lines.length && kindAt(lines, end) === undefined) end++;
  return end;
}

function afterClosing(closing: string, lines: readonly string[], at: number): number {
  const close = lines.indexOf(closing, at);
  return close === -1 ? lines.length : close + 1;
}

function toShell(kind: Kind, [, ...lines]: readonly string[]): TalkShell {
  switch (kind) {
    case 'run':
      return { kind };
    case 'words':
      return { kind, text: lines.join('\n').trim() };
    case 'data':
      return { kind, path: fieldIn(lines, 'path'), summary: fieldIn(lines, 'summary') };
    case 'script':
      return { kind, path: fieldIn(lines, 'script') };
    case 'action':
      return { kind, name: fieldIn(lines, 'action'), text: lines.slice(1, -1).join('\n').trim() };
  }
}

/** Fields stand at the left edge; a document's own lines do not. */
function fieldIn(lines: readonly string[], name: string): string {
  const start = `- ${name}: `;
  return lines.find((line) => line.startsWith(start))?.slice(start.length) ?? '';
}
