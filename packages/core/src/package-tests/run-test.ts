/** Runs one test of a package: the real engine, whoever plays the model, and the person of the test. */
import { join } from 'node:path';
import type {
  PackageTest,
  PackageTestResult,
  TestAnswer,
  TestFailure,
  TestModel,
} from '@crewagent/protocol/package-tests';
import { CrewError } from '../base/crew-error.ts';
import type { Workflow } from '../bmad/check/workflow-package.ts';
import type { Difference } from '../llm/cassette/cassette-compare.ts';
import { createReplay } from '../llm/cassette/replay.ts';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { type DrivenRun, driveRun, type SharedDeps } from '../rehearse/drive-run.ts';
import type { MayRepeat } from '../rehearse/models/choose-edge.ts';
import { createReader } from '../rehearse/models/reader.ts';
import { createRehearsal } from '../rehearse/models/rehearsal.ts';
import { createPerson, type Respond, respondSilently } from '../rehearse/person.ts';
import { inProject } from '../rehearse/project.ts';
import { resolveWorkflow } from '../session/load-workflow.ts';
import { checkNames } from './check-names.ts';
import { judgeFiles } from './judge-files.ts';
import { fail, judgeRun } from './judge-run.ts';
import { createScriptedPerson } from './scripted-person.ts';
import { besideTests, TESTS_FOLDER, type TestFile } from './test-files.ts';
import { createRunWatch, type SeenRun } from './watch-run.ts';

export interface TestDeps extends SharedDeps {
  /** A folder for the project of this test. */
  readonly scratch: string;
  /** Folder of the package as its author has it. */
  readonly packageFolder: string;
  /** Writes golden files instead of comparing them. */
  readonly updates: boolean;
  /** Creates the model of the run instead of the one that the test names. */
  readonly createModel?: (() => Promise<LLMAdapter>) | undefined;
  /** Called before the project is removed. */
  readonly onDriven?: ((driven: DrivenRun, projectPath: string) => Promise<void>) | undefined;
}

export interface TestedRun {
  readonly result: PackageTestResult;
  /** Undefined if the test did not run. */
  readonly covered?: { readonly driven: DrivenRun; readonly seen: SeenRun };
}

const TURNS_PER_NODE = 20;
const MORE_TURNS = 60;
/** How often an edge is taken because its condition is true. */
const MAX_REPEATS = 3;

export async function runPackageTest(file: TestFile, deps: TestDeps): Promise<TestedRun> {
  const startedAt = performance.now();
  const { test } = file;
  const toResult = (
    failures: readonly TestFailure[],
    more: Partial<PackageTestResult> = {},
  ): PackageTestResult => ({
    file: file.file,
    name: file.name,
    workflow: test?.workflow ?? '',
    model: toModelName(test?.model ?? 'literal'),
    ok: failures.length === 0,
    failures: [...failures],
    path: [],
    turns: 0,
    tokens: 0,
    durationMs: Math.round(performance.now() - startedAt),
    drifts: [],
    updated: [],
    ...more,
  });
  if (!test) return { result: toResult([fail('file', file.issue ?? 'The file is invalid.')]) };
  try {
    const workflow = resolveWorkflow(deps.loaded, test.workflow);
    const misspelt = checkNames(test, workflow, deps.loaded.workflows);
    if (misspelt.length > 0) return { result: toResult(misspelt, { workflow: workflow.ref }) };
    const { driven, seen, failures, ...more } = await drive(test, workflow, deps);
    const { path, turns, tokens } = seen;
    const result = toResult(failures, { workflow: workflow.ref, path, turns, tokens, ...more });
    return { result, covered: { driven, seen } };
  } catch (error) {
    if (!(error instanceof CrewError)) throw error;
    return { result: toResult([fail('file', error.message)]) };
  }
}

async function drive(test: PackageTest, workflow: Workflow, deps: TestDeps) {
  const { expect, answers, variables, start, asks } = test;
  const testsFolder = join(deps.packageFolder, TESTS_FOLDER);
  const source = test.project === undefined ? undefined : await requireBeside(testsFolder, test.project);
  const person = createScriptedPerson({ answers, otherwise: toOtherwise(test, deps.loaded) });
  const drifts: PackageTestResult['drifts'] = [];
  const seen = createRunWatch();
  const createModel = await toModels(test, {
    ...deps,
    testsFolder,
    mayRepeat: (from, { to, label }) =>
      seen.edges.filter((edge) => edge.from === from && edge.to === to && edge.label === label).length <
      MAX_REPEATS,
    onDrift: ({ sentence, diff }) => drifts.push({ message: `${sentence}.`, diff }),
  });
  const maxTurns = TURNS_PER_NODE * workflow.graph.nodes.length + MORE_TURNS;
  const project = join(deps.scratch, 'project');
  return inProject(source, project, { signal: deps.signal, except: deps.scratch }, async (projectPath) => {
    const driven = await driveRun(
      {
        ...deps,
        workflowRef: workflow.ref,
        projectPath,
        start: {
          given: { values: variables },
          startNodeId: start,
          approval: (asks ?? answers.some(({ approve }) => approve !== undefined)) ? 'ask' : 'autopilot',
        },
      },
      {
        respond: person.respond,
        createModel,
        note: seen.note,
        get isOver() {
          return seen.turns > maxTurns;
        },
      },
    );
    await deps.onDriven?.(driven, projectPath);
    const updated: string[] = [];
    const failures = [
      ...judgeRun(expect, driven, seen),
      ...(await judgeFiles(expect, {
        projectPath,
        testsFolder,
        updates: deps.updates,
        onUpdated: (file) => updated.push(file),
      })),
      ...person.unused().map((answer) => fail('answers', toUnused(answer, seen.path))),
      ...person.unanswered().map((asked) => fail('answers', `The test has no answer to ${asked}.`)),
    ];
    return { driven, seen, failures, drifts, updated };
  });
}

/** What was not asked for, and as far as is known, why. */
function toUnused({ node, asked, say, answer, approve }: TestAnswer, path: readonly string[]): string {
  const what = say !== undefined ? 'the message' : approve !== undefined ? 'the decision' : 'the answer';
  const value = JSON.stringify(say ?? approve ?? answer);
  const where = node === undefined ? '' : ` at "${node}"`;
  const about = asked === undefined ? '' : ` about "${asked}"`;
  const isApproval = approve !== undefined && node !== undefined && path.includes(node);
  const why =
    node !== undefined && !path.includes(node)
      ? ': the run did not come there'
      : isApproval
        ? ': no change waited for an approval there; what a person says in a step is "say"'
        : '';
  return `Nobody asked for ${what} ${value}${where}${about}${why}.`;
}

/** A lazy reader gets away with what a helpful person adds. */
function toOtherwise(
  { model, placeholders }: PackageTest,
  { workflows }: TestDeps['loaded'],
): Respond | undefined {
  if (!placeholders) return undefined;
  if (model === 'lazy') return respondSilently;
  const edges = workflows.flatMap(({ graph }) => graph.edges.filter(({ isDefault }) => isDefault));
  return createPerson({
    defaultLabels: (nodeId) => edges.flatMap(({ from, label }) => (from === nodeId ? [label] : [])),
  });
}

interface ModelParts extends Pick<TestDeps, 'createModel'> {
  readonly testsFolder: string;
  readonly mayRepeat: MayRepeat;
  onDrift(drift: Difference): void;
}

async function toModels(
  { model, choose }: PackageTest,
  { testsFolder, createModel, mayRepeat, onDrift }: ModelParts,
): Promise<() => LLMAdapter> {
  if (createModel) {
    const given = await createModel();
    return () => given;
  }
  if (model === 'rehearsal') return () => createRehearsal({ choose: (nodeId) => choose[nodeId], mayRepeat });
  if (typeof model === 'string') return () => createReader(model, mayRepeat);
  const replay = await createReplay(await requireBeside(testsFolder, model.recording), { onDrift });
  return () => replay;
}

async function requireBeside(testsFolder: string, name: string): Promise<string> {
  try {
    return await besideTests(testsFolder, name);
  } catch (error) {
    throw new CrewError('USAGE', `There is no "${name}" in the folder "${TESTS_FOLDER}".`, { cause: error });
  }
}

function toModelName(model: TestModel): string {
  return typeof model === 'string' ? model : model.recording;
}
