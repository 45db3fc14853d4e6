/**
 * `fs.search`: lines that contain a text or match a pattern, with the lines around them, bounded whatever is searched.
 */
import { toPlainText } from '@crewagent/protocol/plain-text';
import type { ToolResult } from '@crewagent/protocol/tools';
import * as z from '@crewagent/protocol/zod';
import { errnoOf } from '../base/errno.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import type { IsSecret } from '../mounts/secret-files.ts';
import { createDefaultFinder } from './default-finder.ts';
import { InvalidPattern, type LineFinder } from './line-finder.ts';
import { toSearchFilter } from './search-filter.ts';
import { collectMatches, type Match, type MatchSource } from './search-matches.ts';
import { answer, defineTool, failure, type Tool } from './tool.ts';
import { toFileFailure } from './tool-failure.ts';
import { answerMissing, type ToolPaths } from './tool-paths.ts';
import { NO_UNSEEN_STEPS, type UnseenSteps } from './unseen-steps.ts';

const schema = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(1_000)
    .refine((text) => !/[\0\r\n]/.test(text), 'must be a single line')
    .describe('The text to find, within one line.'),
  path: z.string().min(1).optional().describe('A folder or a file; @project if left out.'),
  globs: z
    .array(z.string().min(1).max(200))
    .max(20)
    .optional()
    .describe('Only files that fit, e.g. ["docs/**", "!*.test.ts"]; "!" leaves out.'),
  regex: z.boolean().optional().describe('query is a regular expression (no lookaround, no backreferences).'),
  caseSensitive: z.boolean().optional(),
  before: z.int().min(0).max(20).optional().describe('Lines before; 1 if left out.'),
  after: z.int().min(0).max(20).optional().describe('Lines after; 1 if left out.'),
  maxMatches: z.int().min(1).max(500).optional().describe('50 if left out.'),
});

type Arguments = z.infer<typeof schema>;

export interface FsSearchParts {
  readonly files: MountedFs;
  readonly isSecret: IsSecret;
  readonly unseenSteps?: UnseenSteps;
  readonly paths: ToolPaths;
  /** ripgrep where there is one, if left out. */
  readonly finder?: LineFinder;
  readonly timeLimitMs?: number;
}

const TIME_LIMIT_MS = 30_000;
const MAX_RESULT_BYTES = 48 * 1024;

export function createFsSearch(parts: FsSearchParts): Tool {
  const { files, isSecret, unseenSteps = NO_UNSEEN_STEPS, paths } = parts;
  const { finder = createDefaultFinder() } = parts;
  return defineTool({
    name: 'fs.search',
    family: 'fs',
    description:
      'Finds lines in text files, case-insensitively unless told otherwise. Skips what .gitignore names, hidden files ' +
      '(unless a glob names them) and node_modules; a folder given as path is searched even if it is ignored.',
    schema,
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
        const findUnseen = await unseenSteps.look();
        const unseen = findUnseen(start);
        if (unseen) return answer(unseen, effect);
        const isHidden = (found: MountPath): boolean =>
          isSecretIn(found, isSecret) || findUnseen(found) !== undefined;
        const result = await search({ files, isHidden, finder }, args, {
          start,
          abort: signal,
          timeLimit: AbortSignal.timeout(parts.timeLimitMs ?? TIME_LIMIT_MS),
        });
        signal.throwIfAborted();
        return answer(result, effect);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof InvalidPattern)) return answer(toFileFailure(error, effect.path), effect);
        const message = `The regular expression was not understood: ${error.message}. Mend it, or leave out "regex" to find the text as it stands.`;
        return answer(failure('TOOL_ARGS_INVALID', message), effect);
      }
    },
  });
}

function isSecretIn({ mount, segments }: MountPath, isSecret: IsSecret): boolean {
  return mount === '@project' && isSecret(segments);
}

/** Where the path really leads; throws what any other tool would get when there is no such file or folder. */
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
  const { query: text, globs = [], regex = false, caseSensitive = false, before = 1, after = 1 } = args;
  const maxMatches = args.maxMatches ?? 50;
  const filter = toSearchFilter(globs);
  if ('badGlob' in filter) {
    const message = `The glob "${toPlainText(filter.badGlob)}" was not understood; close its brackets and braces, as in "src/**/*.{ts,tsx}".`;
    return failure('TOOL_ARGS_INVALID', message);
  }
  const { matches: found, filesScanned } = await collectMatches(source, {
    query: { text, isRegex: regex, caseSensitive },
    start,
    filter,
    before,
    after,
    // One more than asked for tells whether there are more.
    maxMatches: maxMatches + 1,
    signal: AbortSignal.any([abort, timeLimit]),
    abort,
  });
  const matches = withinBytes(found.sort(byPlace).slice(0, maxMatches));
  const isComplete = matches.length === found.length && !timeLimit.aborted;
  const hint = isComplete ? undefined : timeLimit.aborted ? SLOW : MORE;
  return {
    ok: true,
    matches,
    ...(isComplete ? {} : { truncated: true }),
    stats: {
      ...(filesScanned === undefined || found.length > 0 ? {} : { filesScanned }),
      matchesFound: Math.min(found.length, maxMatches),
    },
    ...(hint ? { hint } : found.length === 0 ? { hint: nothingFound(args, filesScanned) } : {}),
  };
}

const MORE = 'There are more matches. Narrow the search with path, globs or a longer query.';
const SLOW =
  'The search was stopped because it took too long. Narrow it with path or globs, or use a simpler query.';

function byPlace(a: Match, b: Match): number {
  return a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
}

function withinBytes(matches: readonly Match[]): Match[] {
  let bytes = 0;
  return matches.filter((match, index) => {
    bytes += Buffer.byteLength(JSON.stringify(match)) + 1;
    return bytes <= MAX_RESULT_BYTES || index === 0;
  });
}

function nothingFound(
  { query, globs, regex, caseSensitive }: Arguments,
  filesScanned: number | undefined,
): string {
  if (filesScanned === 0)
    return `No file was searched. Check ${globs ? 'globs and ' : ''}path with fs.list; ignored, hidden and binary files are left out.`;
  const advice = [
    ...(caseSensitive ? ['leave out caseSensitive'] : []),
    ...(globs ? ['leave out globs'] : []),
    ...(!regex && /[\\|*+^$]/.test(query) ? ['set regex if query is a pattern'] : []),
    'try a shorter query or another word',
  ];
  return `No line matches. You may ${advice.join(', or ')}; ignored and hidden files are searched only when path or globs name them.`;
}
