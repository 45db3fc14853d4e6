/**
 * Reads the files that a node needs and sends them with its step, which saves the model a turn: declared inputs, consumed files,
 * and files of the package that the step tells it to read. Through `fs.read`, so what the model may not read is not sent. Of
 * folders that the step tells it to search, the names of their files.
 */
import { DEFAULT_PREFETCH_BYTES } from '@crewagent/protocol/settings';
import type { ToolResult } from '@crewagent/protocol/tools';
import { findFilesToRead, findFoldersToSearch } from '../../base/named-files.ts';
import { fillVariables, unfilledNames } from '../../mounts/path-template.ts';
import { type PrefetchedEntry, toPrefetchedBlock, toPrefetchedLine } from '../../prompt/prompt-blocks.ts';
import { createProofFiles, fillGlob, isGlob, toShown } from '../../tools/proof/proof-files.ts';
import { readFrontmatter } from '../../workflow/frontmatter.ts';
import { pathValuesOf } from '../../workflow/workflow-state.ts';
import type { LiveRun } from '../live-run.ts';
import type { RunPosition } from '../run-position.ts';

type At = NonNullable<RunPosition['at']>;

/** Undefined if the node needs no files, or if prefetching is off. `files`: those that were sent whole. */
export async function prefetchFiles(run: LiveRun, at: At, step: string) {
  const { context } = run.sources.record;
  const { policy } = run.toolkitOf(run.agentOf(at.node.id));
  const budget = Math.min(context.prefetchBytes ?? DEFAULT_PREFETCH_BYTES, policy.fs.inlineReadBytes);
  if (budget === 0) return undefined;
  const { ok, ...document } = await readFrontmatter(step);
  const { value = {}, body = step } = ok && 'body' in document ? document : {};
  const found = await readWanted(run, at, findFilesToRead(body, value));
  let left = budget;
  const whole = new Set<WantedFile>();
  for (const file of found) {
    const bytes = sizeOf(toEntry(file));
    if (!isWhole(file) || bytes > left) continue;
    whole.add(file);
    left -= bytes;
  }
  const entries: PrefetchedEntry[] = [];
  for (const file of found) {
    const entry = whole.has(file) ? toEntry(file) : await toPart(run, at, file, left);
    if (!whole.has(file) && !('note' in entry)) left -= sizeOf(entry);
    entries.push(entry);
  }
  entries.push(...(await listFolders(run, at, findFoldersToSearch(body, value))));
  entries.push(...(await describeOutputs(run, at, entries.length > 0)));
  if (entries.length === 0) return undefined;
  const files = [...whole].flatMap(({ path, result }) =>
    result.ok && typeof result.sha256 === 'string' ? [{ path, sha256: result.sha256 }] : [],
  );
  return { text: toPrefetchedBlock(entries), files };
}

/** Which of these files have changed since they were sent. */
export async function findChangedFiles(run: LiveRun): Promise<string[]> {
  const { history, visit } = run.memory;
  const files = createProofFiles(run.sources.files);
  const changed: string[] = [];
  for (const { path, sha256 } of history.prefetched) {
    if (visit.writes.has(path)) continue;
    const now = await files.read(path);
    if (now.kind !== 'file' || now.sha256 !== sha256) changed.push(path);
  }
  return changed;
}

/** What the folders contain that the step tells to search. */
async function listFolders(
  run: LiveRun,
  { state }: At,
  named: readonly string[],
): Promise<PrefetchedEntry[]> {
  const variables = pathValuesOf(state);
  const files = createProofFiles(run.sources.files, run.sources.record.tools.artifactsDir);
  const entries: PrefetchedEntry[] = [];
  for (const pattern of named.slice(0, MAX_FILES)) {
    if (unfilledNames(fillVariables(pattern, variables)).length > 0) continue;
    const { paths, isPartial } = await files.find(fillGlob(pattern, variables));
    const shown = JSON.stringify(paths.slice(0, MAX_NAMES).map(toShown));
    const count = `${isPartial ? 'more than ' : ''}${paths.length} ${paths.length === 1 ? 'file' : 'files'}`;
    const note =
      paths.length === 0
        ? 'no files'
        : `${count}${paths.length > MAX_NAMES ? `, the first ${MAX_NAMES}` : ''}: ${shown}`;
    entries.push({ path: fillVariables(pattern, variables), note });
  }
  return entries;
}

const MAX_NAMES = 20;

/** Which outputs exist already: many steps look first. Where nothing else is sent, only those that do. */
async function describeOutputs(
  run: LiveRun,
  { node, state }: At,
  isAll: boolean,
): Promise<PrefetchedEntry[]> {
  const files = createProofFiles(run.sources.files, run.sources.record.tools.artifactsDir);
  const entries: PrefetchedEntry[] = [];
  for (const output of node.outputs.slice(0, MAX_FILES)) {
    const pattern = fillVariables(output, pathValuesOf(state));
    const [path] = isGlob(pattern) ? [] : (await files.find(pattern)).paths;
    const file = path === undefined ? undefined : await files.read(path);
    if (path === undefined || !file) continue;
    if (file.kind === 'file')
      entries.push({ path, note: `output, exists already (${file.bytes.length} bytes)` });
    else if (file.kind === 'absent' && isAll) entries.push({ path, note: 'output, does not exist yet' });
  }
  return entries;
}

interface WantedFile {
  /** Full mount path. */
  readonly path: string;
  readonly result: ToolResult;
  readonly content: string;
}

const MAX_FILES = 8;

/** The files that exist, and declared ones that do not. What may not be read is left out. */
async function readWanted(run: LiveRun, at: At, named: readonly string[]): Promise<WantedFile[]> {
  const found = new Map<string, WantedFile>();
  const add = async (text: string, isDeclared: boolean): Promise<void> => {
    const file = await read(run, at, { path: text });
    if (!file || found.has(file.path)) return;
    const isMissing = !file.result.ok && file.result.error.code === 'ENOENT';
    if (file.result.ok ? isText(file) : isDeclared && isMissing) found.set(file.path, file);
  };
  for (const path of await findDeclared(run, at)) await add(path, true);
  for (const path of named.slice(0, MAX_FILES)) await add(path, false);
  return [...found.values()];
}

/** Declared inputs and consumed files, with known variables filled in. */
async function findDeclared(run: LiveRun, { node, state }: At): Promise<string[]> {
  const variables = pathValuesOf(state);
  const files = createProofFiles(run.sources.files, run.sources.record.tools.artifactsDir);
  const paths = new Set<string>();
  for (const pattern of [...node.inputs, ...(node.proof?.consumes ?? []).map(({ path }) => path)]) {
    const filled = fillVariables(pattern, variables);
    if (!isGlob(pattern.replace(/\{[^{}]*\}/g, ''))) {
      if (unfilledNames(filled).length === 0) paths.add(filled);
    } else
      for (const path of (await files.find(fillGlob(pattern, variables))).paths.slice(0, MAX_FILES))
        paths.add(path);
  }
  return [...paths].slice(0, MAX_FILES);
}

interface ReadArguments {
  readonly path: string;
  readonly startLine?: number;
  readonly endLine?: number;
}

async function read(run: LiveRun, { node }: At, args: ReadArguments): Promise<WantedFile | undefined> {
  const { host } = run.toolkitOf(run.agentOf(node.id));
  const call = { id: '', name: 'fs.read', arguments: JSON.stringify(args) };
  const options = { signal: new AbortController().signal, decidedAt: node.id };
  const outcome = await host.peek(call, options);
  const { effect, result, content } = outcome ?? {};
  return effect?.path !== undefined && result && content !== undefined
    ? { path: effect.path, result, content }
    : undefined;
}

function isText({ result }: WantedFile): boolean {
  return result.ok && result.binary !== true;
}

function isWhole({ result }: WantedFile): boolean {
  return !result.ok || result.truncated !== true;
}

function toEntry({ path, result, content }: WantedFile): PrefetchedEntry {
  return result.ok ? { args: { path }, content } : { path, note: 'does not exist' };
}

/** Parts of less than this are not worth sending. */
const MIN_PART = 1_024;
/** More than the fields of a result besides its content. */
const FIELDS = 400;

/** As many lines from the beginning as fit. */
async function toPart(run: LiveRun, at: At, file: WantedFile, bytes: number): Promise<PrefetchedEntry> {
  const { path, result } = file;
  const left: PrefetchedEntry = {
    path,
    note: `${result.ok ? result.bytes : 0} bytes, not included; read the part that you need`,
  };
  const endLine = bytes < MIN_PART ? 0 : countLines(file, bytes - FIELDS);
  if (endLine === 0) return left;
  const args = { path, startLine: 1, endLine };
  const part = await read(run, at, args);
  const entry = part?.result.ok ? { args, content: part.content } : left;
  return sizeOf(entry) <= bytes ? entry : left;
}

/** How many lines have at most this size as JSON. */
function countLines({ result }: WantedFile, bytes: number): number {
  const text = result.ok ? (result.content ?? result.contentPreview) : undefined;
  if (typeof text !== 'string') return 0;
  let left = bytes;
  let count = 0;
  // The last line of a preview may be cut.
  for (const line of text.split('\n').slice(0, -1)) {
    left -= Buffer.byteLength(JSON.stringify(line));
    if (left < 0) break;
    count++;
  }
  return count;
}

function sizeOf(entry: PrefetchedEntry): number {
  return Buffer.byteLength(toPrefetchedLine(entry)) + 1;
}
