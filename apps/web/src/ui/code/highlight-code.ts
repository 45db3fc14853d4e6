/**
 * Splits code into coloured pieces with one tokenizer for all languages: comments, strings, numbers, keywords, keys. It is purely
 * lexical, so a wrong guess costs a colour and never a character. Loaded when the first code is shown.
 */
export type CodeColor = 'comment' | 'string' | 'number' | 'keyword' | 'key' | 'added' | 'removed';

export interface CodePiece {
  readonly text: string;
  readonly color: CodeColor | undefined;
}

/** The concatenated pieces equal `code`. */
export function highlightCode(code: string, language: string): readonly CodePiece[] {
  const name = ALIASES[language.toLowerCase()] ?? language.toLowerCase();
  if (PLAIN.has(name) || code.length > MAX_CHARS) return [{ text: code, color: undefined }];
  return join(name === 'diff' ? piecesOfDiff(code) : piecesOfCode(code, name));
}

/** Longer code is not highlighted. */
const MAX_CHARS = 60_000;

const PLAIN: ReadonlySet<string> = new Set(['text', 'txt', 'plain', 'plaintext', 'markdown', 'md', 'csv']);

const ALIASES: Readonly<Record<string, string>> = {
  yml: 'yaml',
  sh: 'bash',
  shell: 'bash',
  zsh: 'bash',
  console: 'bash',
  py: 'python',
  rb: 'ruby',
  patch: 'diff',
  jsonc: 'json',
  jsonl: 'json',
  htm: 'html',
  svg: 'xml',
};

const WITH_HASH_COMMENTS: ReadonlySet<string> = new Set([
  ...['bash', 'python', 'ruby', 'yaml', 'toml', 'ini', 'dockerfile', 'makefile', 'r', 'perl'],
]);
const MARKUP: ReadonlySet<string> = new Set(['html', 'xml', 'vue', 'svelte']);
const DATA: ReadonlySet<string> = new Set(['json', 'yaml', 'toml', 'ini']);

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const NUMBER = String.raw`\b(?:0x[\da-fA-F]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b`;

/** Line by line, so that the time is linear; only comments and long strings span lines. */
function piecesOfCode(code: string, language: string): CodePiece[] {
  const pieces: CodePiece[] = [];
  let open: Span | undefined;
  for (let line of code.split(/(?<=\n)/)) {
    if (open) {
      const end = endOf(line, 0, open);
      pieces.push({ text: line.slice(0, end), color: open.color });
      if (end === line.length && !line.endsWith(open.end)) continue;
      line = line.slice(end);
    }
    open = addLine(pieces, line, language);
  }
  return pieces;
}

interface Span {
  readonly end: string;
  readonly color: CodeColor;
}

function endOf(line: string, from: number, { end }: Span): number {
  const at = line.indexOf(end, from);
  return at === -1 ? line.length : at + end.length;
}

/** Returns the comment or string that continues on the next line, if any. */
function addLine(pieces: CodePiece[], line: string, language: string): Span | undefined {
  let end = 0;
  if (line.length <= MAX_LINE_CHARS) {
    const pattern = patternOf(language);
    pattern.lastIndex = 0;
    for (let match = pattern.exec(line); match; match = pattern.exec(line)) {
      const groups = match.groups ?? {};
      const [found] = match;
      pieces.push({ text: line.slice(end, match.index), color: undefined });
      const span = groups.span === undefined ? undefined : SPANS[found];
      end = span ? endOf(line, match.index + found.length, span) : match.index + found.length;
      const text = line.slice(match.index, end);
      pieces.push({ text, color: span?.color ?? colorOf(groups, text, language) });
      if (span && !text.endsWith(span.end)) return span;
      pattern.lastIndex = end;
    }
  }
  pieces.push({ text: line.slice(end), color: undefined });
  return undefined;
}

/** Longer lines are not highlighted. */
const MAX_LINE_CHARS = 1_000;

const SPANS: Readonly<Record<string, Span>> = {
  '/*': { end: '*/', color: 'comment' },
  '<!--': { end: '-->', color: 'comment' },
  '"""': { end: '"""', color: 'string' },
  "'''": { end: "'''", color: 'string' },
  '`': { end: '`', color: 'string' },
};

function colorOf(
  groups: Readonly<Record<string, string | undefined>>,
  text: string,
  language: string,
): CodeColor | undefined {
  const named = (['comment', 'key', 'string', 'number'] as const).find((name) => groups[name] !== undefined);
  if (named || groups.word === undefined) return named;
  if (CONSTANTS.has(text)) return 'number';
  return !DATA.has(language) && KEYWORDS.has(language === 'sql' ? text.toLowerCase() : text)
    ? 'keyword'
    : undefined;
}

const patterns = new Map<string, RegExp>();

function patternOf(language: string): RegExp {
  const known = patterns.get(language) ?? new RegExp(partsOf(language).join('|'), 'g');
  patterns.set(language, known);
  return known;
}

function partsOf(language: string): readonly string[] {
  if (MARKUP.has(language))
    return [
      '(?<span><!--)',
      String.raw`(?<key></?[A-Za-z][\w:.-]*)`,
      String.raw`(?<string>"[^"\n]*"|'[^'\n]*')`,
    ];
  const spans =
    SPANS_OF[language] ?? (DATA.has(language) || WITH_HASH_COMMENTS.has(language) ? '' : '/\\*|`');
  return [
    ...(spans === '' ? [] : [`(?<span>${spans})`]),
    `(?<comment>${commentOf(language)})`,
    ...keyPartsOf(language),
    `(?<string>${STRING})`,
    `(?<number>${NUMBER})`,
    String.raw`(?<word>[A-Za-z_$][\w$]*)`,
  ];
}

const SPANS_OF: Readonly<Record<string, string>> = {
  python: `"""|'''`,
  sql: '/\\*',
  css: '/\\*',
  scss: '/\\*',
};

function commentOf(language: string): string {
  if (WITH_HASH_COMMENTS.has(language)) return String.raw`(?<=^|\s)#.*`;
  if (language === 'sql' || language === 'lua') return '--.*';
  return '(?<!:)//.*';
}

function keyPartsOf(language: string): readonly string[] {
  if (language === 'json') return [String.raw`(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))`];
  if (language === 'yaml') return [String.raw`(?<key>(?<![^\s])[\w."'@/-]+(?=:(?:\s|$)))`];
  if (language === 'toml' || language === 'ini')
    return [String.raw`(?<key>^\s*\[[^\]\n]*\]|^\s*[\w.-]+(?=\s*=))`];
  if (language === 'css' || language === 'scss') return [String.raw`(?<key>[\w-]+(?=\s*:\s))`];
  return [];
}

function piecesOfDiff(code: string): CodePiece[] {
  return code.split(/(?<=\n)/).map((text): CodePiece => ({ text, color: DIFF_COLORS[text[0] ?? ''] }));
}

const DIFF_COLORS: Readonly<Record<string, CodeColor>> = { '+': 'added', '-': 'removed', '@': 'comment' };

function join(pieces: readonly CodePiece[]): CodePiece[] {
  const joined: CodePiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (piece.text === '') continue;
    if (last?.color === piece.color && last)
      joined[joined.length - 1] = { ...last, text: last.text + piece.text };
    else joined.push(piece);
  }
  return joined;
}

const CONSTANTS: ReadonlySet<string> = new Set(
  'true false null undefined None True False nil NaN Infinity yes no'.split(' '),
);

/** Keywords of the most common languages, merged; where one of them is a name, it only gets the wrong colour. */
const KEYWORDS: ReadonlySet<string> = new Set(
  [
    'abstract as async await break case catch class const continue debugger declare default delete do else enum export',
    'extends finally for from function get if implements import in instanceof interface is keyof let namespace new of',
    'override package private protected public readonly return satisfies set static super switch this throw try type',
    'typeof var void while with yield and assert def del elif except global lambda nonlocal not or pass raise self',
    'fn impl mod mut pub struct trait use where match loop move ref crate func go chan defer range select map',
    'int float double bool boolean string char long short unsigned final native synchronized throws val when object',
    'fi then done esac echo export local exit cd sudo npm npx node git docker curl cat grep mkdir rm cp mv ls',
    'create table insert into values update alter drop join left right inner outer on group by order having limit union',
    'begin end module require elsif unless until puts',
  ]
    .join(' ')
    .split(' '),
);
