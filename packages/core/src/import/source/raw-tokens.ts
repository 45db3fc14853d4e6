/**
 * Tokens that another tool replaces before a model reads a text: arguments of a command, answers, files to include, output of
 * commands. Those that stand for words of the person are replaced; the others are found, to be reported. Pure.
 */

/** Replaces arguments and answers by what they stand for. A block of code keeps its own variables. */
export function withRequest(body: string): string {
  return outsideFences(body, (text) =>
    text
      .replace(/\$\{input:[\w-]{1,80}:([^}\n]{1,200})\}/g, '($1, as the person says)')
      .replace(/\$\{input:([\w-]{1,80})\}/g, '($1, as the person says)')
      .replace(/\$\{(?:selection|selectedText)\}/g, '(the text that the person selected)')
      .replace(/\$\{(?:file|fileBasename)\}/g, '(the file that the person names)')
      .replace(/(?<![\w$\\{`])\$([1-9])(?![\w.])/g, '(part $1 of what the person asked for)'),
  )
    .replace(/\$(?:ARGUMENTS|USER_MESSAGE)\b|\{ARGS\}|\{\{args\}\}/g, '(what the person asked for)')
    .replace(/\$ARTIFACTS_DIR\b/g, 'artifacts');
}

const RAW = [
  // `{{PHASE 1: @file.md}}`, `{{UNLESS x}}`, `{{> part}}`
  /\{\{\s?(?:>[^}\n]{1,200}|(?:PHASE|IF|ELSE|ENDIF|UNLESS|ENDUNLESS|INCLUDE)\b[^}\n]{0,200})\}\}/g,
  /\$\{(?:input|workspaceFolder|workspaceFolderBasename|fileDirname|fileBasenameNoExtension)(?::[^}\n]{1,200})?\}/g,
  // A command whose output is inserted.
  /(?<=^|\s)!`[^`\n]{1,200}`/g,
  /^![a-z]{2,20} [^\n]{1,200}$/gm,
];
/** `{{workflows/plan}}` includes a file; `{{yes/no}}` is for the model to fill. */
const INCLUDED = /\{\{\s?([\w-]+\/[\w./*-]{1,200})\s?\}\}/g;

/** `paths`: of the source. */
export function findRawTokens(body: string, paths: readonly string[]): string[] {
  const found = new Set<string>();
  outsideFences(body, (text) => {
    for (const pattern of RAW) for (const [token] of text.matchAll(pattern)) found.add(token.trim());
    for (const [token, path = ''] of text.matchAll(INCLUDED)) {
      const start = `/${path.replace(/\*.*$/, '')}`;
      if (paths.some((known) => `/${known}`.includes(start))) found.add(token);
    }
    return text;
  });
  return [...found];
}

function outsideFences(body: string, change: (text: string) => string): string {
  // Parts begin at fences: the first, which may be empty, is outside; then inside and outside take turns.
  const parts = `\n${body}`.split(/(?<=\n)(?=[ \t]*(?:```|~~~))/);
  const changed = parts.map((part, index) => (index % 2 === 0 ? outside(part, index, change) : part));
  return changed.join('').slice(1);
}

/** The line of a closing fence stays as it is. */
function outside(part: string, index: number, change: (text: string) => string): string {
  const end = index === 0 ? 0 : part.indexOf('\n') + 1 || part.length;
  return part.slice(0, end) + change(part.slice(end));
}
