/**
 * From lines that a searcher names to matches that may be shown: each file is opened anew through its mount, which
 * refuses links that lead out, secret and special files, and a line that does not match there is dropped.
 */
import { errnoOf } from '../base/errno.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { SandboxViolation } from '../mounts/sandbox-violation.ts';
import { type LineFinder, type LineQuery, MAX_SEARCHED_BYTES } from './line-finder.ts';
import { readRulesAbove, type SearchFilter } from './search-filter.ts';
import { decodeText } from './text-file.ts';

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface MatchSearch {
  readonly query: LineQuery;
  /** A file or folder, links resolved. */
  readonly start: MountPath;
  readonly filter: SearchFilter;
  readonly before: number;
  readonly after: number;
  readonly maxMatches: number;
  /** Ends the search; what was found until then counts. */
  readonly signal: AbortSignal;
  /** Ends everything. */
  readonly abort: AbortSignal;
}

export interface MatchSource {
  readonly files: MountedFs;
  /** Files whose text is not shown: secret ones, and steps that are still to come. */
  isHidden(path: MountPath): boolean;
  readonly finder: LineFinder;
}

const MAX_SHOWN = 400;
/** What is further right in a line is not looked at. */
const MAX_LINE = 100_000;
const JUDGING_MS = 10_000;
/** The folders among the ignored names that can be vast; the filter knows all such names. */
const VAST_FOLDERS = ['node_modules', '.git', '.hg', '.svn'];

/** At most `maxMatches`, in no order, and how many files were looked through if that is known. */
export async function collectMatches(
  { files, isHidden, finder }: MatchSource,
  { query, start, filter, before, after, maxMatches, signal, abort }: MatchSearch,
): Promise<{ matches: Match[]; filesScanned?: number }> {
  const startPath = start.segments.join('/');
  const matches: Match[] = [];
  let unjudged: Match[] = [];
  let filesScanned: number | undefined;
  const judge = async (): Promise<void> => {
    const texts = unjudged.map(({ text }) => text);
    if (texts.length === 0) return;
    const limit = AbortSignal.any([abort, AbortSignal.timeout(JUDGING_MS)]);
    const columns = await finder.judge(texts, query, limit);
    for (const [index, match] of unjudged.entries()) {
      const column = columns[index];
      if (column !== undefined) matches.push({ ...match, column, text: cutAround(match.text, column - 1) });
    }
    unjudged = [];
  };
  const rules = [...filter.rules, ...(await readRulesAbove(files, start))];
  await files.withFolder({ mount: start.mount, segments: [] }, async (rootPath) => {
    const search = {
      query,
      rootPath,
      start: startPath,
      rules,
      skippedNames: VAST_FOLDERS,
      includeHidden: filter.includeHidden,
      maxLinesPerFile: maxMatches,
    };
    for await (const finding of finder.find(search, signal)) {
      if (finding.kind === 'scanned') {
        filesScanned = finding.files;
        continue;
      }
      const path = { mount: start.mount, segments: finding.path.split('/') };
      if (!filter.isWanted(finding.path, startPath)) continue;
      if (isHidden(path)) continue;
      unjudged.push(...(await readMatches(files, path, finding.lines, { before, after })));
      if (matches.length + unjudged.length < maxMatches) continue;
      await judge();
      if (matches.length >= maxMatches) break;
    }
  });
  await judge();
  return { matches, ...(filesScanned === undefined ? {} : { filesScanned }) };
}

/** The named lines as they are now, not yet judged; none when the file cannot be read or is no text. */
async function readMatches(
  files: MountedFs,
  path: MountPath,
  lines: readonly number[],
  { before, after }: { before: number; after: number },
): Promise<Match[]> {
  const text = await readText(files, path);
  if (text === undefined) return [];
  const shown = formatMountPath(path);
  const content = text.replace(/\n$/, '').split('\n', Math.max(...lines) + after);
  const part = (from: number, to: number): string[] =>
    content.slice(Math.max(from, 0), to).map((line) => cutAround(withoutReturn(line), 0));
  return lines
    .filter((line) => line <= content.length)
    .map((line) => ({
      path: shown,
      line,
      column: 0,
      text: withoutReturn(content[line - 1] ?? '').slice(0, MAX_LINE),
      before: part(line - 1 - before, line - 1),
      after: part(line, line + after),
    }));
}

async function readText(files: MountedFs, path: MountPath): Promise<string | undefined> {
  try {
    return await files.withFile(path, async ({ handle, bytes }) => {
      if (bytes > MAX_SEARCHED_BYTES) return undefined;
      const text = decodeText(await handle.readFile())?.text;
      return text?.includes('\0') ? undefined : text;
    });
  } catch (error) {
    // Gone or swapped since it was named, or never ours to show.
    if (error instanceof SandboxViolation || errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** At most 400 characters of a line, with the one at `index` among them and a mark where something was cut. */
function cutAround(line: string, index: number): string {
  if (line.length <= MAX_SHOWN) return line;
  const start = Math.max(0, Math.min(index - MAX_SHOWN / 4, line.length - MAX_SHOWN));
  const cut = line.slice(start, start + MAX_SHOWN).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${start > 0 ? '…' : ''}${cut}${start + MAX_SHOWN < line.length ? '…' : ''}`;
}
