/**
 * Searches real folders with either search engine, for tests.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolResult } from '@crewagent/protocol/tools';
import { createMountedFs } from '../../mounts/mounted-fs.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import { createBuiltinFinder } from '../../tools/search/find-lines-builtin.ts';
import { createRipgrepFinder, resolveRipgrep } from '../../tools/search/find-lines-ripgrep.ts';
import { createFsSearch } from '../../tools/search/fs-search.ts';
import type { LineFinder } from '../../tools/search/line-finder.ts';
import { createToolPaths } from '../../tools/tool-paths.ts';
import { tempFolder, writeTree } from '../temp-folder.ts';

type Tree = Record<string, string | Buffer>;
interface Found {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly before: string[];
  readonly after: string[];
}
interface FoundFile {
  readonly path: string;
  readonly lines: string;
}
export type SearchResult = ToolResult & {
  readonly found: string;
  readonly files: readonly FoundFile[];
  /** Read from `files`, with the lines next to each. */
  readonly matches: Found[];
  readonly truncated?: boolean;
  readonly hint?: string;
};

export const ripgrep = createRipgrepFinder((await resolveRipgrep()) ?? 'there is no ripgrep');
export const builtin = createBuiltinFinder();
export const FINDERS: [string, LineFinder][] = [
  ['ripgrep', ripgrep],
  ['built-in', builtin],
];

type Search = (args: Record<string, unknown>, signal?: AbortSignal) => Promise<SearchResult>;

/** A search tool on its own project, package and state folders. */
export async function createSearchRig(finder: LineFinder, project: Tree, timeLimitMs?: number) {
  const folder = await tempFolder();
  const root = (name: string): string => join(folder, name);
  await Promise.all(['project', 'pkg', 'state', 'outside'].map((name) => mkdir(root(name))));
  await writeTree(root('project'), project);
  await writeTree(root('pkg'), { 'steps/one.md': 'the needle of the package\n' });
  await writeTree(root('state'), { 'workflow.md': 'the needle of the state\n' });
  const search = createSearcher(finder, root, timeLimitMs);
  /** `path:line` of each match, in the project, of "needle" unless another query is given. */
  const positions = async (args: Record<string, unknown>): Promise<string[]> =>
    (await search({ query: 'needle', ...args })).matches.map(
      ({ path, line }) => `${path.replace('@project/', '')}:${line}`,
    );
  return { folder, root, search, positions };
}

export function createSearcher(
  finder: LineFinder,
  root: (name: string) => string,
  timeLimitMs?: number,
): Search {
  const isSecret = createSecretCheck();
  const files = createMountedFs(
    { project: root('project'), pkg: root('pkg'), state: root('state') },
    isSecret,
  );
  const tool = createFsSearch({
    files,
    isSecret,
    paths: createToolPaths({ files, artifactsDir: 'artifacts' }),
    finder,
    timeLimitMs,
  });
  return async (args: Record<string, unknown>, signal = new AbortController().signal) => {
    const read = tool.parse(args);
    if (!read.ok) throw new Error(read.issues[0]?.message);
    const reply = await tool.run(read.value, { callId: 'call', name: tool.name, signal });
    if (reply.kind !== 'result') throw new Error(`unexpected ${reply.kind}`);
    const { result } = reply;
    return { ...result, matches: result.ok ? toMatches(result.files) : [] } as SearchResult;
  };
}

function toMatches(files: unknown): Found[] {
  return (files as FoundFile[]).flatMap(({ path, lines: text }) => {
    const lines = text.split('\n').map((line) => {
      const [, number = '', sign, shown = ''] = /^(\d+)([:-]) (.*)$/s.exec(line) ?? [];
      return { line: Number(number), isMatch: sign === ':', text: shown };
    });
    return lines.flatMap(({ line, isMatch, text: shown }) => {
      if (!isMatch) return [];
      const textsOf = (from: number, to: number): string[] =>
        lines.filter((other) => other.line >= from && other.line <= to).map((other) => other.text);
      return [
        { path, line, text: shown, before: textsOf(line - 1, line - 1), after: textsOf(line + 1, line + 1) },
      ];
    });
  });
}
