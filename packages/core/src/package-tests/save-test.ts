/**
 * Saves a completed run as a test of its package: the run is repeated with the replies and words of its log while it is recorded, and the
 * recording, the files it found and wrote, and what the run did become `tests/NAME.yaml` and the files beside it. Nothing is written
 * unless the new test passes.
 */
import { cp, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SavedTest } from '@crewagent/protocol/api/saved-test';
import { type PackageTest, packageTestSchema } from '@crewagent/protocol/package-tests';
import { stringify } from 'yaml';
import { CrewError } from '../base/crew-error.ts';
import { ifPresent, withDiskErrors } from '../base/errno.ts';
import { segmentDanger } from '../base/file-names.ts';
import { isMethodFile, METHOD_FILE, toAuthorFolder } from '../base/method-file.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import { recordTo } from '../llm/cassette/record.ts';
import type { LLMAdapter, ModelTraits } from '../llm/llm-adapter.ts';
import type { SharedDeps } from '../rehearse/drive-run.ts';
import { findPackage, openPackage } from '../rehearse/open-package.ts';
import { inTempRoot } from '../rehearse/temp-root.ts';
import { resolveWorkflow } from '../session/load-workflow.ts';
import { readTraits } from '../session/show-context.ts';
import type { Store } from '../store/store.ts';
import type { RunAddress } from '../store/work-address.ts';
import { readWorkflowState } from '../workflow/workflow-state.ts';
import { readFoundFiles } from './found-files.ts';
import { type RunScript, readRunScript } from './read-run.ts';
import { runPackageTest, type TestedRun } from './run-test.ts';
import { TESTS_FOLDER } from './test-files.ts';

export interface SaveTestRequest {
  readonly run: RunAddress;
  readonly store: Store;
  readonly context: ValidationContext;
  /** Folder of the package; default: the one that the run's package was installed from. */
  readonly folder?: string | undefined;
  /** Default: made of the id of the run. */
  readonly name?: string | undefined;
  readonly now: () => Date;
}

export async function saveTest(request: SaveTestRequest): Promise<SavedTest> {
  const { run, store, context, now } = request;
  const record = await store.works.read(run);
  // Of the log, which a page shows at once; the record follows it.
  const script = await readRunScript(store.works, run);
  if (!script.isCompleted)
    throw new CrewError(
      'RUN_NOT_REPEATABLE',
      'Only a completed run can become a test. Finish this one first.',
    );
  const path = request.folder ?? (await findFolder(store, record.packageHash));
  const folder = toAuthorFolder(path);
  const name = request.name ?? `run-${run.workId.slice(-6)}`;
  const fileName = toFileName(name);
  await requireFree(join(folder, TESTS_FOLDER, `${fileName}.yaml`));
  const { path: project } = await store.projects.read(run.projectId);
  const { files, left } = await readFoundFiles(store.works, run, { reads: script.reads, project });
  const source = await findPackage({ package: path, context });
  return inTempRoot(async (root) => {
    const shared = await openPackage(root, { ...source, context, signal: new AbortController().signal });
    if (shared.loaded.manifest.name !== record.packageName)
      throw new CrewError(
        'USAGE',
        `"${path}" has the package "${shared.loaded.manifest.name}", not "${record.packageName}".`,
      );
    const staged = join(root, 'staged');
    const tests = join(staged, TESTS_FOLDER);
    await writeAll(join(tests, fileName, 'project'), files);
    const base: PackageTest = packageTestSchema.parse({
      name,
      ...(await toStart(record.workflowRef, script, shared)),
      project: files.size > 0 ? `${fileName}/project` : undefined,
      asks: script.answers.some(({ approve }) => approve === false) ? true : undefined,
      answers: script.answers,
    });
    let passes = 0;
    const play = async (test: PackageTest, updates: boolean, createModel?: () => Promise<LLMAdapter>) => {
      const scratch = join(root, `pass-${passes++}`);
      await mkdir(scratch, { recursive: true });
      const file = { file: `${TESTS_FOLDER}/${fileName}.yaml`, name, test, issue: undefined };
      return runPackageTest(file, { ...shared, scratch, packageFolder: staged, updates, createModel });
    };
    const cassette = join(tests, `${fileName}.cassette`);
    await mkdir(tests, { recursive: true });
    const traits = await readTraits(record.model, { store, now });
    const repeated = await play(base, false, () =>
      recordTo(cassette, createLoggedModel(script, traits), { now, warn: () => undefined }),
    );
    const test = toTest(base, requireSame(repeated, script), fileName);
    await play(test, true);
    const { result } = await play(test, false);
    const [failure] = result.failures;
    if (failure) throw unrepeatable(failure.message);
    const text = toYaml(test);
    await writeFile(join(tests, `${fileName}.yaml`), text);
    await withDiskErrors(`The test could not be written to "${folder}"`, () =>
      cp(tests, join(folder, TESTS_FOLDER), { recursive: true, errorOnExist: true, force: false }),
    );
    return { folder, file: `${TESTS_FOLDER}/${fileName}.yaml`, name, text, left: [...left] };
  });
}

/** How the run started, as far as it differs from what the package says. */
async function toStart(
  ref: string,
  { startNodeId, variables }: RunScript,
  { loaded, store, packageHash }: SharedDeps,
): Promise<Pick<PackageTest, 'workflow' | 'start' | 'variables'>> {
  const { graph, workflowPath } = resolveWorkflow(loaded, ref);
  const template = (await store.packages.seal(packageHash)).read(workflowPath).toString('utf8');
  const usual = await readWorkflowState(template);
  return {
    workflow: loaded.workflows.length > 1 ? ref : undefined,
    start: startNodeId === graph.entryNodeId ? undefined : startNodeId,
    variables: findSet(variables, usual.ok ? usual.state.variables : {}),
  };
}

async function findFolder(store: Store, hash: string): Promise<string> {
  const found = await findPackageFolder(store, hash);
  if (found !== undefined) return found;
  throw new CrewError(
    'PACKAGE_FOLDER_UNKNOWN',
    'The package of this run was not installed from a folder that is still there. Give the folder: crewagent test FOLDER --from-run RUN.',
  );
}

/** Where the author has the package; undefined if that is not known, or gone. */
export async function findPackageFolder({ packages }: Store, hash: string): Promise<string | undefined> {
  const origin = await packages.readOrigin(hash);
  const candidates = [
    origin?.conversion?.folder,
    origin?.place.kind === 'path' ? origin.place.path : undefined,
  ];
  for (const path of candidates) {
    if (path === undefined) continue;
    const files = isMethodFile(path) ? [path] : ['bmad.json', METHOD_FILE].map((name) => join(path, name));
    for (const file of files) if (await ifPresent(stat(file)).catch(() => undefined)) return path;
  }
  return undefined;
}

function toFileName(name: string): string {
  const file = name
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  if (file === '' || segmentDanger(file) !== undefined)
    throw new CrewError('USAGE', `"${name}" cannot be the name of a test; use letters and digits.`);
  return file;
}

async function requireFree(file: string): Promise<void> {
  if (await ifPresent(stat(file)))
    throw new CrewError('TARGET_EXISTS', `"${file}" already exists. Give another name.`);
}

async function writeAll(folder: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** Replies as the log has them, one after the other. */
function createLoggedModel({ replies, recorded }: RunScript, traits: ModelTraits): LLMAdapter {
  const left = [...replies];
  return {
    traits,
    recorded,
    async chat() {
      const reply = left.shift();
      if (reply) return { kind: 'reply', reply };
      const message = 'The run asked for more replies than its log has.';
      return { kind: 'failed', error: { code: 'CASSETTE_MISMATCH', message, isRetryable: false } };
    },
    close: () => undefined,
  };
}

type Covered = NonNullable<TestedRun['covered']>;

function requireSame({ result, covered }: TestedRun, { path }: RunScript): Covered {
  const [failure] = result.failures;
  if (!covered || failure) throw unrepeatable(failure?.message ?? 'it did not start');
  if (!isDeepStrictEqual(covered.seen.path, path))
    throw unrepeatable(`it went ${covered.seen.path.join(' → ')}, not ${path.join(' → ')}`);
  return covered;
}

function unrepeatable(why: string): CrewError {
  return new CrewError(
    'RUN_NOT_REPEATABLE',
    `The run could not be repeated with the package as it is now: ${why.replace(/\.$/, '')}.`,
  );
}

/** What the run did, as expectations. */
function toTest(base: PackageTest, { driven, seen }: Covered, fileName: string): PackageTest {
  const visits = driven.evidence[0]?.sheet.visits ?? [];
  const heard = visits.filter(({ outcome, spoken }) => outcome !== 'open' && spoken.length > 0);
  const files = driven.files.filter((path) => !path.startsWith('@'));
  return packageTestSchema.parse({
    ...base,
    model: { recording: `${fileName}.cassette` },
    expect: {
      path: seen.path,
      heard: unlessEmpty([...new Set(heard.map(({ nodeId }) => nodeId))]),
      proved: driven.evidence.every(({ sheet }) => sheet.isProved) ? true : undefined,
      refusals: unlessEmpty([...new Set(seen.refusals.map(({ code }) => code))]),
      variables: findSet(driven.variables, seen.variables),
      files: Object.fromEntries(files.map((path) => [path, { equals: `${fileName}/expected/${path}` }])),
    },
  });
}

function unlessEmpty<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** What has another value than before; undefined if nothing has. */
function findSet(after: Variables, before: Variables): Record<string, unknown> | undefined {
  const set = Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(before[name], value));
  return set.length === 0 ? undefined : Object.fromEntries(set);
}

type Variables = Readonly<Record<string, unknown>>;

/** Without defaults. */
function toYaml({ choose, placeholders, answers, expect, ...test }: PackageTest): string {
  const { ends: _, ...expected } = expect;
  return stringify({ ...test, ...(answers.length > 0 ? { answers } : {}), expect: expected });
}
