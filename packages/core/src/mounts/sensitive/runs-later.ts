/**
 * Files that a program executes or follows later without the user opening them. The user is shown what executes the file
 * before it is written. Names are in sensitive-files.json; settings may add patterns. Other files are recognised by their
 * mode and content.
 */
import type { RunsLater } from '@crewagent/protocol/tools';
import { type ExistsInProject, isGitFolder } from './git-folder.ts';
import { createPathPatterns, foldSegment, type PathPatterns } from './path-patterns.ts';
import data from './sensitive-files.json';

interface ProjectFile {
  readonly segments: readonly string[];
  /** Mode of the file once it is written; a new file of a tool has none. */
  readonly mode?: number | undefined;
  readonly content?: Uint8Array | undefined;
  /** Recognises a git folder under another name. */
  readonly exists?: ExistsInProject | undefined;
}

export type FindRunner = (file: ProjectFile) => RunsLater | undefined;

/** What would execute a project file, by the lists of the product. */
export const findRunner: FindRunner = createRunnerCheck();

/** `extraPatterns`: file names with `*` as wildcard, from the settings. */
export function createRunnerCheck(extraPatterns: readonly string[] = []): FindRunner {
  const extra = extraPatterns.length === 0 ? undefined : createPathPatterns([extraPatterns]);
  return ({ segments, mode = 0, content, exists }) => {
    if (isGitFolder(segments, exists)) return 'hook';
    const byName = classOf(segments);
    if (byName) return byName;
    if (extra?.find(segments) !== undefined) return 'listed';
    if ((mode & EXECUTABLE) !== 0) return 'executable';
    return content && findRunnerByContent(segments, content);
  };
}

const EXECUTABLE = 0o111;
/** Built on first use: most commands write no file. */
let listed: PathPatterns | undefined;

function classOf(segments: readonly string[]): RunsLater | undefined {
  listed ??= createPathPatterns(data.runsLater.map(({ files }) => files));
  const list = listed.find(segments);
  // The test of the data file checks the names of its classes.
  return list === undefined ? undefined : (data.runsLater[list]?.class as RunsLater | undefined);
}

/**
 * Under any name. All checks are linear in the size of the file; texts that people read are not checked for git settings, so that a
 * manual may quote them.
 */
function findRunnerByContent(segments: readonly string[], content: Uint8Array): RunsLater | undefined {
  const name = foldSegment(segments.at(-1) ?? '');
  const extension = /[^.]\.([^.]+)$/.exec(name)?.[1] ?? '';
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (isProgram(bytes)) return 'executable';
  // Commands have no extension. Other scripts need somebody to start them, or the execute bit, which `mode` shows.
  if (extension === '' && bytes.subarray(0, 2).toString('latin1') === '#!') return 'executable';
  if (/^json[c5]?$/.test(extension) && namesCommands(bytes)) return 'scripts';
  if (data.gitSettings.extensions.includes(extension) && runsFromGitConfig(bytes)) return 'hook';
  return undefined;
}

/** Beginnings of programs: ELF, Windows, Mach-O (both byte orders, both sizes, universal), WebAssembly. */
const PROGRAMS = [
  '7f454c46',
  '4d5a',
  'feedface',
  'feedfacf',
  'cefaedfe',
  'cffaedfe',
  'cafebabe',
  '0061736d',
].map((hex) => Buffer.from(hex, 'hex'));

function isProgram(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 64);
  return start.includes(0) && PROGRAMS.some((magic) => start.subarray(0, magic.length).equals(magic));
}

/** Keys of JSON files whose values package managers and task runners execute. */
function namesCommands(bytes: Buffer): boolean {
  if (!['"scripts"', '"tasks"', '"targets"'].some((key) => bytes.includes(key))) return false;
  try {
    const document: unknown = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    if (!isObjectOrList(document)) return false;
    const { scripts, tasks, targets } = document;
    return (
      (isObjectOrList(scripts) && Object.values(scripts).some((script) => typeof script === 'string')) ||
      [tasks, targets].some(
        (group) =>
          isObjectOrList(group) && Object.values(group).some((task) => isObjectOrList(task) && isTask(task)),
      )
    );
  } catch {
    // With comments: package managers that accept them are strict about nothing else either.
    return /"scripts"\s*:\s*\{/.test(bytes.toString('latin1'));
  }
}

function isTask(task: Readonly<Record<string, unknown>>): boolean {
  return ['command', 'executor', 'script', 'run'].some((key) => typeof task[key] === 'string');
}

function isObjectOrList(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Conservative: a key counts for every section of the file, so that no spelling of a section hides it. */
function runsFromGitConfig(bytes: Buffer): boolean {
  if (!bytes.includes('[')) return false;
  const text = bytes.toString('latin1').toLowerCase();
  const sections = new Set([...text.matchAll(/\[[ \t]*([a-z0-9-]+)/g)].map(([, section = '']) => section));
  if (sections.has('alias') && /=[ \t]*"?!/.test(text)) return true;
  const settings: Readonly<Record<string, readonly string[]>> = data.gitSettings.keys;
  const keys = new Set([...sections].flatMap((section) => settings[section] ?? []));
  if (keys.size === 0) return false;
  for (const [, key = ''] of text.matchAll(/(?:^|[\r\n\]\xbf])[ \t\f\v]*([a-z][a-z0-9-]*)/g))
    if (keys.has(key) || keys.has('*')) return true;
  return false;
}
