/** Reads the tests of a package: `tests/*.yaml`, sorted by name. A file that cannot be read is a failed test. */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { type PackageTest, packageTestSchema } from '@crewagent/protocol/package-tests';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent } from '../base/errno.ts';
import { toAuthorFolder } from '../base/method-file.ts';
import { describeIssue } from '../bmad/findings/schema-findings.ts';
import { parseFullYaml } from '../workflow/full-yaml.ts';

export const TESTS_FOLDER = 'tests';
const MAX_BYTES = 262_144;

export interface TestFile {
  /** Path in the package. */
  readonly file: string;
  readonly name: string;
  /** Undefined if the file is invalid. */
  readonly test: PackageTest | undefined;
  /** What is wrong with the file. */
  readonly issue: string | undefined;
}

/** `filter`: part of the name of the file or of the test. Throws if there are none. */
export async function readTestFiles(packageFolder: string, filter = ''): Promise<TestFile[]> {
  const folder = join(packageFolder, TESTS_FOLDER);
  const files = await listTestFiles(folder);
  const read = await Promise.all(files.map((name) => readTestFile(folder, name)));
  const found = read.filter(({ file, name }) => file.includes(filter) || name.includes(filter));
  if (found.length > 0) return found;
  const which = filter === '' ? 'There are no tests' : `No test has "${filter}" in its name`;
  throw new CrewError('USAGE', `${which}. Tests are files such as tests/whole-way.yaml in the package.`);
}

/** `path`: a package folder, or a method with the tests beside it. */
export async function hasTests(path: string): Promise<boolean> {
  return (await listTestFiles(join(toAuthorFolder(path), TESTS_FOLDER))).length > 0;
}

async function listTestFiles(folder: string): Promise<string[]> {
  const names = (await ifPresent(readdir(folder))) ?? [];
  return names.filter((name) => /\.ya?ml$/.test(name)).sort();
}

async function readTestFile(folder: string, fileName: string): Promise<TestFile> {
  const file = `${TESTS_FOLDER}/${fileName}`;
  const name = basename(fileName).replace(/\.ya?ml$/, '');
  const invalid = (issue: string): TestFile => ({ file, name, test: undefined, issue });
  const bytes = await readFile(await besideTests(folder, fileName));
  if (bytes.length > MAX_BYTES) return invalid(`It is larger than ${MAX_BYTES / 1_024} KiB.`);
  const yaml = parseFullYaml(bytes.toString('utf8'));
  // The parser counts the fence of a frontmatter, which a test does not have.
  if (!yaml.ok) return invalid(`Line ${yaml.line - 1}: ${yaml.reason}.`);
  const parsed = packageTestSchema.safeParse(yaml.value);
  if (parsed.success) return { file, name: parsed.data.name ?? name, test: parsed.data, issue: undefined };
  const [issue] = parsed.error.issues;
  if (!issue) return invalid('The file is invalid.');
  const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const path = key === undefined ? issue.path : [...issue.path, key];
  const line = Math.max(1, yaml.lineOf(path) - 1);
  if (key !== undefined) {
    const { message, fix } = describeIssue(issue, { file, value: yaml.value, schema: packageTestSchema });
    return invalid(`Line ${line}: ${message}. ${fix}`);
  }
  const field = path.map(String).join('.') || 'the file';
  return invalid(`Line ${line}: ${field}: ${issue.message}.`);
}

/** The real path of what a test names, which must be in the folder of the tests. */
export async function besideTests(testsFolder: string, name: string): Promise<string> {
  const root = await realpath(testsFolder);
  const found = await realpath(join(root, name));
  if (!found.startsWith(root + sep)) throw new Error(`"${name}" is outside of the folder "${TESTS_FOLDER}".`);
  return found;
}
