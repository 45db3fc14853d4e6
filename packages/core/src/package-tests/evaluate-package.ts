/** Runs the tests of a package with several models, each several times and in parallel, and compares how the models did. */
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvaluatedModel, EvaluatedRun, Evaluation } from '@crewagent/protocol/evaluation';
import { mapLimit } from '../base/map-limit.ts';
import { toAuthorFolder } from '../base/method-file.ts';
import { sha256Of } from '../base/sha256.ts';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import type { DrivenRun, SharedDeps } from '../rehearse/drive-run.ts';
import { findPackage, openPackage } from '../rehearse/open-package.ts';
import { inTempRoot } from '../rehearse/temp-root.ts';
import { chooseModel, type Environment } from '../session/models/choose-model.ts';
import { createModelOpener } from '../session/models/model-routes.ts';
import type { SecretStore } from '../store/secret-store.ts';
import type { UserStore } from '../store/store.ts';
import { readInside } from './found-files.ts';
import { askOpinion } from './model-opinion.ts';
import { runPackageTest, type TestedRun } from './run-test.ts';
import { readTestFiles, type TestFile } from './test-files.ts';

export interface EvaluationRequest {
  /** A package folder. */
  readonly folder: string;
  readonly context: ValidationContext;
  readonly filter?: string | undefined;
  /** Names as for a run. */
  readonly models: readonly string[];
  readonly repeats: number;
  /** How many runs are made at a time. */
  readonly jobs: number;
  /** A model that is asked for its opinion of the files. */
  readonly judge?: string | undefined;
  /** No run is started once this much was spent. */
  readonly maxCostUsd?: number | undefined;
  /** Settings and keys of the models. */
  readonly store: UserStore;
  readonly secrets: SecretStore;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly onRun?: ((run: EvaluatedRun) => void) | undefined;
}

interface Task {
  readonly file: TestFile;
  readonly model: string;
  readonly repeat: number;
}

/** A run of a model that does not answer ends after this time. */
const RUN_MS = 15 * 60_000;

/** Throws for an invalid package and for a model that cannot be used; what failed in runs is in the report. */
export async function evaluatePackage(request: EvaluationRequest): Promise<Evaluation> {
  const { folder, context, models, repeats, jobs, signal } = request;
  const source = await findPackage({ package: folder, context });
  const open = await openModels(request);
  // A test with a lazy model is about a model that must not get through.
  const files = (await readTestFiles(toAuthorFolder(folder), request.filter)).filter(
    ({ test }) => test?.model !== 'lazy',
  );
  const tasks = Array.from({ length: repeats }, (_, index) => index + 1).flatMap((repeat) =>
    files.flatMap((file) => models.map((model): Task => ({ file, model, repeat }))),
  );
  return inTempRoot(async (root) => {
    const shared = await openPackage(root, { ...source, context, signal });
    const packageFolder = await realpath(toAuthorFolder(folder));
    let spent = 0;
    const isOverBudget = (): boolean => spent >= (request.maxCostUsd ?? Number.POSITIVE_INFINITY);
    const runs = await mapLimit(tasks, jobs, async (task, index) => {
      if (signal.aborted || isOverBudget()) return undefined;
      const scratch = join(root, String(index));
      await mkdir(scratch);
      const run = await evaluate(task, { ...shared, scratch, packageFolder, open, judge: request.judge });
      if (signal.aborted) return undefined;
      spent += run.costUsd ?? 0;
      request.onRun?.(run);
      return run;
    });
    const made = runs.filter((run) => run !== undefined);
    const { name, version } = shared.loaded.manifest;
    return {
      ok: made.length === tasks.length && made.every(({ ok }) => ok),
      isStopped: made.length < tasks.length,
      isOverBudget: isOverBudget(),
      package: { name, version, hash: shared.packageHash },
      judge: request.judge,
      models: models.map((model) => compareRuns(model, made)),
      runs: made,
    };
  });
}

type OpenModel = (name: string) => Promise<LLMAdapter>;

/** Each name is tried first, so that a missing key costs no runs. */
async function openModels({ models, judge, store, env, secrets }: EvaluationRequest): Promise<OpenModel> {
  const settings = await store.settings.load();
  const openModel = createModelOpener({ store, env, secrets, now: () => new Date(), warn: () => undefined });
  const open: OpenModel = (name) => openModel(chooseModel({ model: name }, settings, env));
  for (const name of [...models, ...(judge === undefined ? [] : [judge])]) (await open(name)).close();
  return open;
}

interface EvaluateDeps extends SharedDeps {
  readonly scratch: string;
  readonly packageFolder: string;
  readonly open: OpenModel;
  readonly judge: string | undefined;
}

async function evaluate({ file, model, repeat }: Task, deps: EvaluateDeps): Promise<EvaluatedRun> {
  const { open, judge, ...testing } = deps;
  const contents = new Map<string, Buffer>();
  const tested = await runPackageTest(file, {
    ...testing,
    updates: false,
    signal: AbortSignal.any([deps.signal, AbortSignal.timeout(RUN_MS)]),
    createModel: () => open(model),
    async onDriven({ files }: DrivenRun, projectPath: string) {
      for (const path of files) {
        const content = await readInside(projectPath, path);
        if (content) contents.set(path, content);
      }
    },
  });
  const { result } = tested;
  const asksJudge = judge !== undefined && tested.covered !== undefined && !deps.signal.aborted;
  return {
    model,
    test: result.file,
    name: result.name,
    repeat,
    ok: result.ok,
    failures: result.failures,
    ...measure(tested),
    turns: result.turns,
    tokens: result.tokens,
    durationMs: result.durationMs,
    files: Object.fromEntries([...contents].map(([path, content]) => [path, sha256Of(content)])),
    ...(asksJudge
      ? {
          opinion: await askOpinion(await open(judge), { contents, title: result.name, signal: deps.signal }),
        }
      : {}),
  };
}

function measure({ covered }: TestedRun) {
  const visits = covered?.driven.evidence.flatMap(({ sheet }) => sheet.visits) ?? [];
  const costUsd = covered?.seen.usage.costUsd;
  return {
    nodesProved: visits.filter(({ outcome }) => outcome === 'proved').length,
    nodesChecked: visits.filter(({ outcome }) => outcome !== 'open' && outcome !== 'nothing').length,
    refusals: covered?.seen.refusals.length ?? 0,
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

function compareRuns(model: string, all: readonly EvaluatedRun[]): EvaluatedModel {
  const runs = all.filter((run) => run.model === model);
  const sum = (pick: (run: EvaluatedRun) => number): number =>
    runs.reduce((total, run) => total + pick(run), 0);
  const times = runs.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
  const scores = runs.flatMap(({ opinion }) => opinion?.score ?? []);
  const hasCost = runs.some(({ costUsd }) => costUsd !== undefined);
  return {
    model,
    runs: runs.length,
    passed: runs.filter(({ ok }) => ok).length,
    nodesProved: sum((run) => run.nodesProved),
    nodesChecked: sum((run) => run.nodesChecked),
    refusals: sum((run) => run.refusals),
    turns: sum((run) => run.turns),
    tokens: sum((run) => run.tokens),
    ...(hasCost ? { costUsd: sum((run) => run.costUsd ?? 0) } : {}),
    durationMs: times[Math.floor(times.length / 2)] ?? 0,
    ...compareFiles(runs),
    ...(scores.length > 0 ? { score: scores.reduce((total, one) => total + one, 0) / scores.length } : {}),
  };
}

function compareFiles(runs: readonly EvaluatedRun[]): Pick<EvaluatedModel, 'files' | 'differing'> {
  const tests = [...new Set(runs.map(({ test }) => test))];
  const written = tests.flatMap((test) => {
    const repeats = runs.filter((run) => run.test === test);
    const paths = new Set(repeats.flatMap(({ files }) => Object.keys(files)));
    return [...paths].map((path) => ({
      test,
      path,
      isSame: new Set(repeats.map(({ files }) => files[path])).size === 1,
    }));
  });
  const differing = written.filter(({ isSame }) => !isSame).map(({ test, path }) => ({ test, path }));
  return { files: written.length, differing };
}
