/**
 * Finds lines with ripgrep: fast, linear in the worst case, and a process of its own. It prints places only, never text.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../base/remove-tree.ts';
import {
  type Finding,
  InvalidPattern,
  judgePlain,
  type LineFinder,
  type LineQuery,
  MAX_SEARCHED_BYTES,
  type TreeSearch,
} from './line-finder.ts';
import { runRipgrep } from './run-ripgrep.ts';

/** One column at most: what is longer is left out, so that a place costs a few bytes however long its line is. */
const PLACES_ONLY = ['--no-config', '--color=never', '--no-heading', '--line-number', '--max-columns=1'];

/** `.gitignore` counts with or without git, and nothing else does: no other ignore file, nothing above the mount. */
const WALK = [
  '--no-config',
  '--no-messages',
  '--no-ignore-messages',
  '--no-require-git',
  '--no-ignore-parent',
  '--no-ignore-dot',
  '--no-ignore-global',
  '--no-ignore-exclude',
  '--with-filename',
  '--null',
  '--path-separator=/',
  `--max-filesize=${MAX_SEARCHED_BYTES}`,
];

export function createRipgrepFinder(binary: string): LineFinder {
  return {
    async *find(search, signal) {
      const { rules, rootPath, query } = search;
      // ripgrep takes such rules from a file only. The folder is fresh and ours alone.
      const folder = rules.length > 0 ? await mkdtemp(join(tmpdir(), 'crewagent-search-')) : undefined;
      try {
        const rulesFile = folder && join(folder, 'rules');
        if (rulesFile) await writeFile(rulesFile, rules.join('\n'), { mode: 0o600, flag: 'wx' });
        const how = { cwd: toChildPath(rootPath), signal };
        const run = runRipgrep(binary, [...PLACES_ONLY, ...toArguments(search, rulesFile)], how);
        const isFound = yield* readPlaces(namingPatternErrors(run, query));
        // It would count every match of a line, too, if it were asked while it searches.
        if (!isFound) yield* countFiles(runRipgrep(binary, ['--files', ...toWalk(search, rulesFile)], how));
      } finally {
        if (folder) await removeTree(folder);
      }
    },

    async judge(lines, query, signal) {
      if (!query.isRegex) return judgePlain(lines, query);
      const args = [...PLACES_ONLY, '--column', '--text', '--encoding=none', ...toPattern(query), '--', '-'];
      const run = runRipgrep(binary, args, { input: `${lines.join('\n')}\n`, signal });
      let output = '';
      for await (const chunk of namingPatternErrors(run, query)) output += chunk.toString('latin1');
      const columns = new Array<number | undefined>(lines.length).fill(undefined);
      for (const [, line, column] of output.matchAll(/^(\d+):(\d+):/gm)) {
        // A character has a byte or more, so that many of them are enough.
        const beginning = (lines[Number(line) - 1] ?? '').slice(0, Number(column));
        const before = Buffer.from(beginning).subarray(0, Number(column) - 1);
        columns[Number(line) - 1] = before.toString('utf8').length + 1;
      }
      return columns;
    },
  };
}

function toArguments(search: TreeSearch, rulesFile: string | undefined): string[] {
  return [`--max-count=${search.maxLinesPerFile}`, ...toPattern(search.query), ...toWalk(search, rulesFile)];
}

function toWalk(search: TreeSearch, rulesFile: string | undefined): string[] {
  return [
    ...WALK,
    ...(search.includeHidden ? ['--hidden'] : []),
    ...search.skippedNames.map((name) => `--glob=!${name}`),
    ...(rulesFile === undefined ? [] : [`--ignore-file=${rulesFile}`]),
    '--',
    `./${search.start}`,
  ];
}

function toPattern({ text, isRegex, caseSensitive }: LineQuery): string[] {
  return [
    caseSensitive ? '--case-sensitive' : '--ignore-case',
    isRegex ? '--crlf' : '--fixed-strings',
    `--regexp=${text}`,
  ];
}

/** A folder that is held open here has another name in a child, whose `/proc/self` is its own. */
function toChildPath(path: string): string {
  return path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
}

/** ripgrep looks at its arguments before any file: words on its error output are about the pattern. */
async function* namingPatternErrors(
  run: AsyncGenerator<Buffer, string>,
  query: LineQuery,
): AsyncGenerator<Buffer> {
  const complaint = yield* run;
  if (complaint === '') return;
  if (!query.isRegex) throw new Error(`ripgrep failed: ${complaint}`);
  throw new InvalidPattern(
    /^error: (.+)$/m.exec(complaint)?.[1] ?? complaint.replace(/^rg: /, '').split('\n')[0],
  );
}

/** How many paths it prints; each ends with a NUL. */
async function* countFiles(run: AsyncGenerator<Buffer>): AsyncGenerator<Finding> {
  let files = 0;
  for await (const chunk of run) for (const byte of chunk) if (byte === 0) files++;
  yield { kind: 'scanned', files };
}

/** Reads `path NUL line:…` records; says whether there was one. */
async function* readPlaces(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Finding, boolean> {
  let rest: Buffer = Buffer.alloc(0);
  let path: string | undefined;
  let lines: number[] = [];
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (;;) {
      const nul = rest.indexOf(0, start);
      const end = nul === -1 ? -1 : rest.indexOf(10, nul);
      if (end === -1) break;
      // A remark about a binary file may stand before the path, on a line of its own.
      const named = (rest.toString('utf8', start, nul).split('\n').at(-1) ?? '').slice('./'.length);
      if (named !== path) {
        if (path !== undefined) yield { kind: 'lines', path, lines };
        path = named;
        lines = [];
      }
      lines.push(Number.parseInt(rest.toString('latin1', nul + 1, end), 10));
      start = end + 1;
    }
    rest = rest.subarray(start);
  }
  if (path !== undefined) yield { kind: 'lines', path, lines };
  return path !== undefined;
}
