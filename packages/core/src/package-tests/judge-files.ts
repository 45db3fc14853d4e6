/** Compares the files of a project with the expectations of a test, or writes golden files from them. */
import { constants, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import type { Expectations, FileExpectation, TestFailure } from '@crewagent/protocol/package-tests';
import { createTwoFilesPatch } from 'diff';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent } from '../base/errno.ts';
import { readInside } from './found-files.ts';
import { fail } from './judge-run.ts';
import { besideTests } from './test-files.ts';

export interface FileParts {
  readonly projectPath: string;
  readonly testsFolder: string;
  /** Writes files that differ instead of reporting them. */
  readonly updates: boolean;
  readonly onUpdated: (file: string) => void;
}

export async function judgeFiles({ files = {} }: Expectations, parts: FileParts): Promise<TestFailure[]> {
  const failures: TestFailure[] = [];
  for (const [path, expected] of Object.entries(files))
    failures.push(...(await judgeFile(path, expected, parts)));
  return failures;
}

async function judgeFile(path: string, expected: FileExpectation, parts: FileParts): Promise<TestFailure[]> {
  const content = (await readInside(parts.projectPath, path))?.toString('utf8');
  if (expected === false) return content === undefined ? [] : [fail('files', `${path} exists.`)];
  if (content === undefined) return [fail('files', `${path} does not exist.`)];
  if (expected === true) return [];
  const { contains = [], matches, equals } = expected;
  const wanted = typeof contains === 'string' ? [contains] : contains;
  return [
    ...wanted
      .filter((words) => !content.includes(words))
      .map((words) => fail('files', `${path} does not contain "${words}".`)),
    ...(matches === undefined ? [] : judgePattern(path, content, matches)),
    ...(equals === undefined ? [] : await judgeGolden(path, content, { ...parts, equals })),
  ];
}

const PATTERN_MS = 2_000;

/** With a limit: an expression can take longer than anybody waits. */
function judgePattern(path: string, content: string, pattern: string): TestFailure[] {
  try {
    const scope = createContext({ content, pattern });
    const isMatch: unknown = runInContext('new RegExp(pattern, "mu").test(content)', scope, {
      timeout: PATTERN_MS,
    });
    return isMatch === true ? [] : [fail('files', `${path} does not match /${pattern}/.`)];
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
        ? 'takes too long'
        : 'is not a regular expression';
    return [fail('files', `/${pattern}/ ${why}.`)];
  }
}

async function judgeGolden(
  path: string,
  content: string,
  { testsFolder, equals, updates, onUpdated }: FileParts & { readonly equals: string },
): Promise<TestFailure[]> {
  const golden = await ifPresent(besideTests(testsFolder, equals).then((file) => readFile(file, 'utf8')));
  if (golden === content) return [];
  if (updates) {
    await writeGolden(testsFolder, equals, content);
    onUpdated(equals);
    return [];
  }
  if (golden === undefined) return [fail('files', `There is no ${equals}; --update writes it.`)];
  const diff = createTwoFilesPatch(equals, path, golden, content, undefined, undefined, { context: 2 });
  return [fail('files', `${path} differs from ${equals}.`, diff)];
}

async function writeGolden(testsFolder: string, name: string, content: string): Promise<void> {
  const root = await realpath(testsFolder);
  const file = join(root, name);
  if (relative(root, file).startsWith('..'))
    throw new CrewError('USAGE', `"${name}" is outside of the folder of the tests.`);
  await mkdir(dirname(file), { recursive: true });
  // Not through a link.
  if ((await realpath(dirname(file))) !== dirname(file))
    throw new CrewError('USAGE', `"${name}" is behind a link.`);
  await writeFile(file, content, {
    flag: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_LINK,
  });
}

/** Windows has no such flag. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;
