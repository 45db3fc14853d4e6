/**
 * Colours a line of code by what most languages have in common: comments, strings, numbers, keywords. A highlighter with grammars
 * is megabytes; a reply needs less. Pure. The line is sanitized.
 */
import type { Style, Styler } from '../../terminal.ts';

export function colourCode(line: string, language: string, style: Styler): string {
  const name = language.toLowerCase();
  if (name === 'diff' || name === 'patch') return colourDiff(line, style);
  const comment = COMMENTS.get(name);
  if (comment === undefined) return line;
  const parts = new RegExp(`(${comment})|${STRING}|${NUMBER}|${WORD}`, 'g');
  return line.replace(parts, (text: string, ...groups: (string | undefined)[]) => {
    const at = groups.slice(0, 4).findIndex((group) => group !== undefined);
    const colour = at === WORD_GROUP ? (KEYWORDS.has(text) ? 'magenta' : undefined) : COLOURS[at];
    return colour === undefined ? text : style(colour, text);
  });
}

const COLOURS: readonly Style[] = ['dim', 'green', 'yellow'];
const WORD_GROUP = 3;
const STRING = '("(?:[^"\\\\]|\\\\.)*"|\'(?:[^\'\\\\]|\\\\.)*\'|`(?:[^`\\\\]|\\\\.)*`)';
const NUMBER = '(\\b\\d[\\d_.]*\\b)';
const WORD = '([A-Za-z_]\\w*)';

const SLASHES = '//.*|/\\*.*?(?:\\*/|$)';
const HASH = '(?<![^\\s])#.*';
const DASHES = '--.*';

const LANGUAGES = [
  [
    SLASHES,
    'js jsx ts tsx javascript typescript java kotlin swift go rust rs c cpp cs csharp php scala dart json json5 jsonc css scss',
  ],
  [HASH, 'py python sh bash zsh shell console yaml yml toml ini ruby rb r perl make makefile dockerfile'],
  [DASHES, 'sql lua haskell hs'],
] as const;

/** How a comment looks, by language; a language that is not here has no colours. */
const COMMENTS: ReadonlyMap<string, string> = new Map(
  LANGUAGES.flatMap(([comment, names]) => names.split(' ').map((name) => [name, comment] as const)),
);

const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'abstract and as assert async await break case catch class const continue def default del do elif else enum except export ' +
    'extends false False finally fn for from func function if implements import in interface is lambda let match module mut new ' +
    'nil None not null or package pass private protected public pub raise readonly return self static struct super switch then ' +
    'this throw trait true True try type typeof undefined use var void where while with yield done esac fi echo ' +
    'SELECT FROM WHERE INSERT INTO UPDATE DELETE CREATE TABLE JOIN ON AND OR NOT NULL ORDER BY GROUP LIMIT VALUES SET AS'
  ).split(' '),
);

function colourDiff(line: string, style: Styler): string {
  if (line.startsWith('+')) return style('green', line);
  if (line.startsWith('-')) return style('red', line);
  return line.startsWith('@@') ? style('cyan', line) : line;
}
