/**
 * Runs inside the test process. First pass: records which mutants each test reaches. Second pass: repeats each test with each
 * mutant it reaches, and at the end once more without any, to detect side effects. Third pass: one mutant, active from the start,
 * for code that runs at module load.
 */
import { setMaxListeners } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestRunner } from 'vitest';

// Each repetition of a test adds listeners to its signal.
setMaxListeners(0);
const folder = process.env.CREWAGENT_MUTANTS;
const plan = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8'));
const state = { active: plan.active ?? 0, hits: new Set() };
globalThis.__crewagentMutants = state;

export default class MutantRunner extends TestRunner {
  #series = new Map();
  #isKilled = false;

  /** Fast tests first: mutants they kill are skipped by slow ones. */
  onBeforeRunFiles(files) {
    if (plan.limits) for (const file of files) sortByTime(file);
  }

  async onBeforeRunTask(test) {
    await super.onBeforeRunTask?.(test);
    if (test.mode !== 'run') return;
    if (plan.pass === 'coverage') {
      // Mutants reached before any test belong to module loading.
      this.#report({ test: 'loading', file: test.file.filepath, hits: takeHits() });
    } else if (plan.pass === 'load') {
      if (this.#isKilled || !plan.tests.includes(test.id)) test.mode = 'skip';
    } else {
      const dead = deadMutants();
      const mutants = (plan.tests[test.id]?.mutants ?? []).filter((id) => !dead.has(id));
      if (mutants.length === 0) test.mode = 'skip';
      else {
        this.#series.set(test.id, { mutants: [...mutants, 0], outcomes: [] });
        test.repeats = mutants.length;
      }
    }
  }

  onBeforeTryTask(test, attempt) {
    const series = this.#series.get(test.id);
    const mutant = series ? series.mutants[attempt.repeats] : (plan.active ?? 0);
    state.active = mutant;
    const limit = plan.limits?.[test.id] ?? 60_000;
    writeFileSync(join(folder, 'active'), plan.pass === 'coverage' ? 'coverage' : String(mutant));
    writeFileSync(
      join(folder, 'progress.json'),
      JSON.stringify({ pid: process.pid, mutant, until: Date.now() + 2 * limit }),
    );
    test.result.startedAt = performance.now();
    super.onBeforeTryTask(test);
  }

  async runTask(test) {
    const limit = plan.limits?.[test.id] ?? 60_000;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('MUTANT_TIMEOUT')), limit);
    });
    try {
      await Promise.race([TestRunner.getTestFn(test)(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  async onAfterRetryTask(test, attempt) {
    const { result } = test;
    const isFailed = result.state === 'fail';
    if (plan.pass === 'coverage') {
      this.#report({
        test: test.id,
        file: test.file.filepath,
        name: test.name,
        hits: takeHits(),
        ms: performance.now() - result.startedAt,
        failed: isFailed && String(result.errors?.[0]?.message),
      });
      return;
    }
    if (plan.pass === 'load') {
      this.#isKilled ||= isFailed;
      if (isFailed) this.#report({ mutant: plan.active, test: test.id, outcome: 'killed' });
      return;
    }
    const series = this.#series.get(test.id);
    const mutant = series.mutants[attempt.repeats];
    if (mutant !== 0) {
      const isLate = result.errors?.some(({ message }) => message?.includes('MUTANT_TIMEOUT'));
      const outcome = isLate ? 'timeout' : isFailed ? 'killed' : 'survived';
      series.outcomes.push({ mutant, test: test.id, outcome });
      this.#report({ mutant, test: test.id, outcome });
    } else if (isFailed) {
      // A test that fails without a mutant proves nothing about the previous mutants.
      const message = String(result.errors?.[0]?.message);
      for (const outcome of series.outcomes) this.#report({ ...outcome, outcome: 'unsure', message });
    }
    result.state = 'run';
    result.errors = undefined;
  }

  #report(line) {
    appendFileSync(join(folder, 'results.jsonl'), `${JSON.stringify(line)}\n`);
  }
}

function sortByTime(suite) {
  const timeOf = (task) =>
    task.tasks ? Math.max(0, ...task.tasks.map(timeOf)) : (plan.limits[task.id] ?? Number.POSITIVE_INFINITY);
  suite.tasks.sort((a, b) => timeOf(a) - timeOf(b));
  for (const task of suite.tasks) if (task.tasks) sortByTime(task);
}

function takeHits() {
  const hits = new Set(state.hits);
  state.hits.clear();
  const path = join(folder, 'child-hits');
  for (const id of readFileSync(path, 'utf8').split('\n')) if (id) hits.add(Number(id));
  writeFileSync(path, '');
  return [...hits];
}

function deadMutants() {
  const lines = readFileSync(join(folder, 'results.jsonl'), 'utf8').split('\n').filter(Boolean);
  const last = new Map(lines.map((line) => JSON.parse(line)).map(({ mutant, outcome }) => [mutant, outcome]));
  const isDead = (id) => ['killed', 'timeout'].includes(last.get(id));
  return new Set([...last.keys()].filter(isDead));
}
