/**
 * `fs.search`: lines that contain a text or match a pattern, by file, with context lines. The result size is bounded.
 */

import { toPlainText } from '@crewagent/protocol/plain-text';
import type { ToolResult } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { errnoOf } from '../../base/errno.ts';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import type { IsSecret } from '../../mounts/sensitive/secret-files.ts';
import { NO_UNSEEN_STEPS, type UnseenSteps } from '../state/unseen-steps.ts';
import { answer, defineTool, failure, type Tool } from '../tool.ts';
import { toFileFailure } from '../tool-failure.ts';
import { answerMissing, type ToolPaths } from '../tool-paths.ts';
import { InvalidPattern, type LineFinder } from './line-finder.ts';
import { collectMatches, type Match, type MatchSource, toSearchFilter } from './search-matches.ts';

const contextSchema = z.optional(z.int().check(z.minimum(0), z.maximum(20)));
const schema = z.strictObject({
  query: z.string().check(
    z.minLength(1),
    z.maxLength(1_000),
    z.refine((text) => !/[\0\r\n]/.test(text), 'must be a single line'),
    z.describe('Text within one line.'),
  ),
  path: z.optional(z.string().check(z.minLength(1))).check(z.describe('Default @project.')),
  globs: z
    .optional(z.array(z.string().check(z.minLength(1), z.maxLength(200))).check(z.maxLength(20)))
    .check(z.describe('["docs/**", "!*.test.ts"]')),
  regex: z.optional(z.boolean()),
  caseSensitive: z.optional(z.boolean()),
  context: contextSchema.check(z.describe('Lines around a match.')),
  before: contextSchema,
  after: contextSchema,
  maxMatches: z.optional(z.int().check(z.minimum(1), z.maximum(500))).check(z.describe('Default 50.')),
});

type Arguments = z.infer<typeof schema>;

interface FsSearchDeps {
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly unseenSteps?: UnseenSteps;
  readonly paths: ToolPaths;
  /** Default: ripgrep if available. */
  readonly finder?: LineFinder;
  readonly timeLimitMs?: number;
}

const TIME_LIMIT_MS = 30_000;
const MAX_RESULT_BYTES = 48 * 1024;

export function createFsSearch(deps: FsSearchDeps): Tool {
  const { files, isSecret, unseenSteps = NO_UNSEEN_STEPS, paths } = deps;
  let finder: LineFinder | Promise<LineFinder> | undefined = deps.finder;
  return defineTool({
    name: 'fs.search',
    family: 'fs',
    // Rarely needed, and sent with every request.
    advertised: () => z.omit(schema, { caseSensitive: true, before: true, after: true, maxMatches: true }),
    description:
      'Finds lines in text files, ignoring case. Skips ignored and hidden files unless they are named.',
    schema: () => schema,
    accept: ({ pattern, ...rest }) => (pattern === undefined ? rest : { query: pattern, ...rest }),
    async run(args, call) {
      const { signal } = call;
      const found = await paths.find(args.path ?? '@project', call, { isFolder: true });
      const { query } = args;
      if (found.failure) return answerMissing(found, { query });
      const { path } = found;
      const effect = { query, path: formatMountPath(path) };
      try {
        const start = await resolveStart(files, path);
        const findUnseen = await unseenSteps.load();
        const unseen = findUnseen(start);
        if (unseen) return answer(unseen, effect);
        const isHidden = (found: MountPath): boolean =>
          isSecretPath(found, isSecret) || findUnseen(found) !== undefined;
        finder ??= chooseFinder();
        const result = await search({ files, isHidden, finder: await finder }, args, {
          start,
          abort: signal,
          timeLimit: AbortSignal.timeout(deps.timeLimitMs ?? TIME_LIMIT_MS),
        });
        signal.throwIfAborted();
        return answer(result, effect);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof InvalidPattern)) return answer(toFileFailure(error, effect.path), effect);
        const message = `The regular expression is invalid: ${error.message}. Fix it, or omit "regex" to search for the literal text.`;
        return answer(failure('TOOL_ARGS_INVALID', message), effect);
      }
    },
  });
}

function isSecretPath({ mount, segments }: MountPath, isSecret: IsSecret): boolean {
  return mount === '@project' && isSecret(segments, true);
}

/** Resolves links in the path. Throws the usual file errors if there is no such file or folder. */
async function resolveStart(files: MountedFs, path: MountPath): Promise<MountPath> {
  const start = files.resolve(path, 'read');
  try {
    await files.withFolder(start, async () => undefined);
  } catch (error) {
    if (errnoOf(error) !== 'ENOTDIR') throw error;
    await files.withFile(start, async () => undefined);
  }
  return start;
}

async function search(
  source: MatchSource,
  args: Arguments,
  { start, abort, timeLimit }: { start: MountPath; abort: AbortSignal; timeLimit: AbortSignal },
): Promise<ToolResult> {
  const { query: text, globs = [], regex = false, caseSensitive = false, maxMatches = 50 } = args;
  const { context, before = context ?? DEFAULT_CONTEXT, after = context ?? DEFAULT_CONTEXT } = args;
  const filter = toSearchFilter(globs);
  if ('badGlob' in filter) {
    const message = `The glob "${toPlainText(filter.badGlob)}" is invalid; close its brackets and braces, as in "src/**/*.{ts,tsx}".`;
    return failure('TOOL_ARGS_INVALID', message);
  }
  const { matches: all, filesScanned } = await collectMatches(source, {
    query: { text, isRegex: regex, caseSensitive },
    start,
    filter,
    before,
    after,
    // One extra match shows whether there are more than are counted.
    maxMatches: MAX_COUNTED + 1,
    signal: AbortSignal.any([abort, timeLimit]),
    abort,
  });
  const first = all.sort(byPosition).slice(0, maxMatches);
  const isContextWanted = args.context ?? args.before ?? args.after;
  const hasContext = isContextWanted !== undefined || first.length <= MAX_WITH_CONTEXT;
  const { files, shown } = groupMatches(hasContext ? first : first.map(withoutContext), MAX_RESULT_BYTES);
  const isComplete = shown === all.length && !timeLimit.aborted;
  const hint = isComplete ? undefined : timeLimit.aborted ? SLOW : MORE;
  return {
    ok: true,
    found: describeCount(all, shown, timeLimit.aborted),
    files,
    ...(isComplete ? {} : { truncated: true }),
    hint: hint ?? (all.length === 0 ? noMatchHint(args, filesScanned) : undefined),
  };
}

/** Lines around a match, unless the model says how many: none if there are many matches. */
const DEFAULT_CONTEXT = 1;
const MAX_WITH_CONTEXT = 10;

function withoutContext(match: Match): Match {
  return { ...match, before: [], after: [] };
}

/** More matches than this are not counted. */
const MAX_COUNTED = 2_000;

/** "50 of 1,440 matches in 3 files". */
function describeCount(all: readonly Match[], shown: number, isStopped: boolean): string {
  const isMore = isStopped || all.length > MAX_COUNTED;
  const count = Math.min(all.length, MAX_COUNTED);
  const total = `${isMore ? 'more than ' : ''}${count.toLocaleString('en')}`;
  const files = new Set(all.map(({ path }) => path)).size;
  const matches = `${shown === all.length && !isMore ? '' : `${shown} of `}${total} match${count === 1 ? '' : 'es'}`;
  return count === 0 ? '0 matches' : `${matches} in ${files} file${files === 1 ? '' : 's'}`;
}

const MORE = 'There are more matches. Narrow the search with path, globs or a longer query.';
const SLOW =
  'The search took too long and was stopped. Narrow it with path or globs, or use a simpler query.';

function byPosition(a: Match, b: Match): number {
  return a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
}

function noMatchHint(
  { query, globs, regex, caseSensitive }: Arguments,
  filesScanned: number | undefined,
): string {
  if (filesScanned === 0)
    return `No file was searched. Check ${globs ? 'globs and ' : ''}path with fs.list; ignored, hidden and binary files are skipped.`;
  const advice = [
    ...(caseSensitive ? ['omit caseSensitive'] : []),
    ...(globs ? ['omit globs'] : []),
    ...(!regex && /[\\|*+^$]/.test(query) ? ['set regex if query is a pattern'] : []),
    'try a shorter query or another word',
  ];
  return `No line matches. Try this: ${advice.join(', or ')}; ignored and hidden files are searched only when path or globs name them.`;
}

/**
 * Matches as a model reads them: by file, `12: text` for a match and `13- text` for a line around it, each line once. `sorted`: by
 * path and line. `shown`: number of matches that fit.
 */
function groupMatches(sorted: readonly Match[], maxBytes: number) {
  const byPath = new Map<string, Map<number, string>>();
  let bytes = 0;
  let shown = 0;
  for (const { path, line, text, before, after } of sorted) {
    const lines = byPath.get(path) ?? new Map<number, string>();
    const around = [
      ...before.map((other, index) => ({ at: line - before.length + index, text: `- ${other}` })),
      ...after.map((other, index) => ({ at: line + 1 + index, text: `- ${other}` })),
    ];
    const added = [...around.filter(({ at }) => !lines.has(at)), { at: line, text: `: ${text}` }];
    bytes += byPath.has(path) ? 0 : sizeOf(path) + 22;
    bytes += added.reduce((sum, { at, text: one }) => sum + sizeOf(one) + String(at).length + 2, 0);
    if (bytes > maxBytes && shown > 0) break;
    byPath.set(path, lines);
    for (const { at, text: one } of added) lines.set(at, one);
    shown++;
  }
  return { files: [...byPath].map(([path, lines]) => ({ path, lines: toText(lines) })), shown };
}

/** In JSON, without the quotes. */
function sizeOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

function toText(lines: ReadonlyMap<number, string>): string {
  return [...lines]
    .sort(([one], [other]) => one - other)
    .map(([at, text]) => `${at}${text}`)
    .join('\n');
}

/** ripgrep if it is available, otherwise the built-in finder. Loaded lazily: many runs never search. */
async function chooseFinder(): Promise<LineFinder> {
  const { createRipgrepFinder, resolveRipgrep } = await import('./find-lines-ripgrep.ts');
  const binary = await resolveRipgrep();
  return binary === undefined
    ? (await import('./find-lines-builtin.ts')).createBuiltinFinder()
    : createRipgrepFinder(binary);
}
