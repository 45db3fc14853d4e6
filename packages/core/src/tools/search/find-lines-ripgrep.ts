/**
 * Line finder that runs ripgrep as a child process: fast, and linear in the worst case. Reads line numbers only, never
 * text.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { bareEnvironment } from '../../base/bare-environment.ts';
import { errnoOf } from '../../base/errno.ts';
import { removeTree } from '../../base/remove-tree.ts';
import { isExecutable } from '../../base/small-files.ts';
import { createTempFolder } from '../../base/temp-folder.ts';
import { matchLines } from './find-lines-builtin.ts';
import {
  type FinderResult,
  InvalidPattern,
  type LineFinder,
  type LineQuery,
  MAX_SEARCHED_BYTES,
  type TreeSearch,
} from './line-finder.ts';

/** `--max-columns=1` suppresses the text, so a location takes a few bytes however long its line is. */
const LOCATION_FLAGS = ['--no-config', '--color=never', '--no-heading', '--line-number', '--max-columns=1'];

/** Honours `.gitignore` with or without a git repository, and no other ignore files, none above the mount. */
const WALK_FLAGS = [
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
      // ripgrep accepts such rules only from a file. The folder is new and private.
      const folder = rules.length > 0 ? await createTempFolder('crewagent-search-') : undefined;
      try {
        const rulesFile = folder && join(folder, 'rules');
        if (rulesFile) await writeFile(rulesFile, rules.join('\n'), { mode: 0o600, flag: 'wx' });
        const options = { cwd: toChildPath(rootPath), signal };
        const limit = `--max-count=${search.maxLinesPerFile}`;
        const args = [...LOCATION_FLAGS, limit, ...toPattern(query), ...toWalk(search, rulesFile)];
        const run = runRipgrep(binary, args, options);
        const hasMatches = yield* parseLocations(withPatternErrors(run, query));
        // A separate run: `--stats` during the search would make ripgrep count every match within a line.
        if (!hasMatches)
          yield* countFiles(runRipgrep(binary, ['--files', ...toWalk(search, rulesFile)], options));
      } finally {
        if (folder) await removeTree(folder);
      }
    },

    async matchLines(lines, query, signal) {
      if (!query.isRegex) return matchLines(lines, query, signal);
      const args = [
        ...LOCATION_FLAGS,
        '--column',
        '--text',
        '--encoding=none',
        ...toPattern(query),
        '--',
        '-',
      ];
      const run = runRipgrep(binary, args, { input: `${lines.join('\n')}\n`, signal });
      let output = '';
      for await (const chunk of withPatternErrors(run, query)) output += chunk.toString('latin1');
      const columns = new Array<number | undefined>(lines.length).fill(undefined);
      for (const [, line, column] of output.matchAll(/^(\d+):(\d+):/gm)) {
        // The column is in bytes. A character takes at least one byte, so `column` characters suffice.
        const prefix = (lines[Number(line) - 1] ?? '').slice(0, Number(column));
        const before = Buffer.from(prefix).subarray(0, Number(column) - 1);
        columns[Number(line) - 1] = before.toString('utf8').length + 1;
      }
      return columns;
    },
  };
}

function toWalk(search: TreeSearch, rulesFile: string | undefined): string[] {
  return [
    ...WALK_FLAGS,
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

/** `/proc/self` in the child process is the child's own, so the path must name this process. */
function toChildPath(path: string): string {
  return path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`);
}

/** ripgrep checks its arguments before it reads files, so its error output is about the pattern. */
async function* withPatternErrors(
  run: AsyncGenerator<Buffer, string>,
  query: LineQuery,
): AsyncGenerator<Buffer> {
  const stderr = yield* run;
  if (stderr === '') return;
  if (!query.isRegex) throw new Error(`ripgrep failed: ${stderr}`);
  throw new InvalidPattern(/^error: (.+)$/m.exec(stderr)?.[1] ?? stderr.replace(/^rg: /, '').split('\n')[0]);
}

/** Counts printed paths; each ends with NUL. */
async function* countFiles(run: AsyncGenerator<Buffer>): AsyncGenerator<FinderResult> {
  let files = 0;
  for await (const chunk of run) for (const byte of chunk) if (byte === 0) files++;
  yield { kind: 'scanned', files };
}

/** Parses `path NUL line:…` records. Returns whether there were any. */
async function* parseLocations(chunks: AsyncGenerator<Buffer>): AsyncGenerator<FinderResult, boolean> {
  let buffered: Buffer = Buffer.alloc(0);
  let path: string | undefined;
  let lines: number[] = [];
  for await (const chunk of chunks) {
    buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk]);
    let start = 0;
    for (;;) {
      const nul = buffered.indexOf(0, start);
      const end = nul === -1 ? -1 : buffered.indexOf(10, nul);
      if (end === -1) break;
      // ripgrep may print a line about a binary file before the path.
      const foundPath = (buffered.toString('utf8', start, nul).split('\n').at(-1) ?? '').slice('./'.length);
      if (foundPath !== path) {
        if (path !== undefined) yield { kind: 'lines', path, lines };
        path = foundPath;
        lines = [];
      }
      lines.push(Number.parseInt(buffered.toString('latin1', nul + 1, end), 10));
      start = end + 1;
    }
    buffered = buffered.subarray(start);
  }
  if (path !== undefined) yield { kind: 'lines', path, lines };
  return path !== undefined;
}

interface RipgrepRun {
  readonly cwd?: string;
  readonly input?: string;
  readonly signal: AbortSignal;
}

const MAX_STDERR_CHARS = 4_096;

/** Yields stdout and returns stderr. The process is killed when the consumer stops reading, and has exited when the generator ends. */
async function* runRipgrep(
  binary: string,
  args: readonly string[],
  { cwd, input, signal }: RipgrepRun,
): AsyncGenerator<Buffer, string> {
  if (signal.aborted) return '';
  const child = spawn(binary, args, {
    cwd,
    env: bareEnvironment(),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const stop = (): void => void child.kill('SIGKILL');
  let stderr = '';
  try {
    await once(child, 'spawn');
  } catch (error) {
    // ENOENT here is about the binary, not about a searched file.
    throw errnoOf(error) === 'ENOENT' ? new Error('ripgrep could not be started', { cause: error }) : error;
  }
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) stop();
    child.stderr?.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR_CHARS) stderr += chunk.toString('utf8');
    });
    // ripgrep may exit before it has read all of stdin; the exit is handled below.
    child.stdin?.on('error', () => undefined).end(input);
    if (child.stdout) for await (const chunk of child.stdout) yield chunk as Buffer;
    await closed;
    return signal.aborted ? '' : stderr.trim();
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await closed;
  }
}

/** First release with all the options used here. */
const OLDEST_MAJOR = 13;
const EXECUTABLE = process.platform === 'win32' ? 'rg.exe' : 'rg';

/** Found to run: asked once, not for each run that searches. */
const usable = new Set<string>();

/** Absolute path of the bundled binary or, if it does not run, of one on the PATH; undefined if there is none. */
export async function resolveRipgrep(): Promise<string | undefined> {
  for (const path of candidates())
    if (usable.has(path) || (await isUsable(path))) {
      usable.add(path);
      return path;
    }
  return undefined;
}

function* candidates(): Generator<string> {
  const bundled = fromPackage();
  if (bundled !== undefined) yield bundled;
  // Resolved manually: the system lookup may try the working folder first, which is a user's project.
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    if (isAbsolute(folder) && isExecutable(join(folder, EXECUTABLE))) yield join(folder, EXECUTABLE);
  }
}

/** Resolved at run time, not at bundle time: the bundle is in another folder than this file. */
function fromPackage(): string | undefined {
  try {
    // Two steps, because only @vscode/ripgrep is certain to resolve the package with its binary.
    const entry = createRequire(import.meta.url).resolve('@vscode/ripgrep');
    const binary = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${EXECUTABLE}`;
    return createRequire(entry).resolve(binary);
  } catch {
    return undefined;
  }
}

async function isUsable(path: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--no-config', '--version'], {
      env: bareEnvironment(),
      timeout: 10_000,
    });
    return Number(/^ripgrep (\d+)\./.exec(stdout)?.[1]) >= OLDEST_MAJOR;
  } catch {
    return false;
  }
}
