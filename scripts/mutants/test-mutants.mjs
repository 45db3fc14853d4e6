/**
 * Mutation testing: instruments a copy of the packages outside the source tree, runs the tests against each mutant, and
 * compares the survivors with the list of accepted ones.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createVitest } from 'vitest/node';
import { root, say } from '../set-up.mjs';
import { findMutants } from './find-mutants.mjs';
import { TARGETS } from './targets.mjs';

const WANTED_SCORE = 85;
const tools = ['mutant-runner.mjs', 'mutant-switch.mjs', 'property-setup.mjs'];

/** @param {string[]} only paths or path prefixes of sources; empty: all */
export async function testMutants(only, { isFresh }) {
  const startedMs = Date.now();
  const mutants = [];
  for (const target of TARGETS) {
    const sources = target.sources
      .flatMap((path) => (path.endsWith('/') ? sourcesIn(path) : [path]))
      .filter((path) => !target.leaveOut?.test(path))
      .filter((path) => only.length === 0 || only.some((part) => path.startsWith(part)));
    if (sources.length > 0) mutants.push(...(await testTarget(sources, target, isFresh)));
  }
  if (mutants.length === 0) throw new Error(`No mutation target matches ${only.join(', ')}.`);
  return report(mutants, Date.now() - startedMs);
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => folder + name);
}

async function testTarget(sources, { tests, skip }, isFresh) {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'crewagent-mutants-')));
  // A test may start a process of another user.
  chmodSync(copy, 0o755);
  const removeCopy = () => rmSync(copy, { recursive: true, force: true });
  process.once('exit', removeCopy);
  try {
    copyRepository(copy);
    for (const test of tests) boundProperties(join(copy, test));
    const mutants = instrument(sources, copy);
    if (!isFresh) recall(mutants);
    const bench = await openBench(copy);
    try {
      for (const test of tests) {
        const file = join(root, test);
        await tryFile(bench, { test, hash: hashOf(readFileSync(file)), skip }, mutants);
        remember(mutants);
      }
    } finally {
      await bench.close();
    }
    return mutants;
  } finally {
    removeCopy();
    process.off('exit', removeCopy);
  }
}

/** The sources, and links to the installed modules; our own packages are linked within the copy. */
function copyRepository(copy) {
  for (const name of ['packages', 'scripts', 'examples', 'spec', 'package.json', 'tsconfig.base.json'])
    cpSync(join(root, name), join(copy, name), {
      recursive: true,
      filter: (path) => !/\/(?:dist|node_modules)$/.test(path),
    });
  const modules = join(copy, 'node_modules');
  mkdirSync(join(modules, '@crewagent'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@crewagent' && !name.startsWith('.'))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const name of readdirSync(join(copy, 'packages')))
    symlinkSync(join(copy, 'packages', name), join(modules, '@crewagent', name));
}

/** Reduces the number of cases of property tests, which run once per mutant. */
function boundProperties(file) {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/numRuns: \d+/g, 'numRuns: 12'));
}

function instrument(sources, copy) {
  const bench = join(copy, 'bench-of-mutants');
  mkdirSync(bench);
  const found = [];
  const runtime = join(bench, 'mutant-switch.mjs');
  writeFileSync(
    runtime,
    readFileSync(join(root, 'scripts/mutants/mutant-switch.mjs'), 'utf8').replace('FOLDER', bench),
  );
  for (const file of sources) {
    const text = readFileSync(join(root, file), 'utf8');
    const { mutants, instrumented } = findMutants(file, text, found.length + 1, runtime);
    writeFileSync(join(copy, file), instrumented);
    const hash = hashOf(text);
    const counts = new Map();
    for (const mutant of mutants) {
      const change = `${mutant.code} | ${mutant.original} → ${mutant.mutant}`;
      const count = (counts.get(change) ?? 0) + 1;
      counts.set(change, count);
      found.push({ ...mutant, key: `${change} #${count}`, hash, status: 'alive', seen: {} });
    }
  }
  return found;
}

/** Runs test files of the copy under `mutant-runner.mjs`, which follows `plan.json` and adds to `results.jsonl`. */
async function openBench(copy) {
  const folder = join(copy, 'bench-of-mutants');
  process.env.CREWAGENT_MUTANTS = folder;
  const config = join(folder, 'vitest.config.mjs');
  writeFileSync(config, 'export default {};');
  const silent = { onInit() {} };
  const vitest = await createVitest('test', {
    root: copy,
    config,
    watch: false,
    include: ['packages/**/*.test.ts'],
    globalSetup: [join(copy, 'scripts/build-drivers.mjs')],
    setupFiles: [join(copy, 'scripts/mutants/property-setup.mjs')],
    runner: join(copy, 'scripts/mutants/mutant-runner.mjs'),
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: [silent],
    dangerouslyIgnoreUnhandledErrors: true,
  });
  const read = () =>
    readFileSync(join(folder, 'results.jsonl'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return {
    copy,
    read,
    note: (line) => writeFileSync(join(folder, 'results.jsonl'), `${JSON.stringify(line)}\n`, { flag: 'a' }),
    /** Results of a test file for this plan; `stuck` names the mutant that crashed or blocked the process. */
    async run(test, plan) {
      writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
      writeFileSync(join(folder, 'active'), plan.pass === 'coverage' ? 'coverage' : String(plan.active ?? 0));
      for (const name of ['results.jsonl', 'child-hits', 'progress.json'])
        writeFileSync(join(folder, name), '');
      for (const line of plan.known ?? []) this.note(line);
      let stuck;
      const watchdog = setInterval(() => {
        const progress = readFileSync(join(folder, 'progress.json'), 'utf8');
        if (!progress.endsWith('}')) return;
        const { pid, mutant, until } = JSON.parse(progress);
        if (Date.now() < until || stuck === mutant) return;
        stuck = mutant;
        process.kill(pid, 'SIGKILL');
      }, 500);
      const path = join(copy, test);
      const specification = vitest.getRootProject().createSpecification(path);
      const { testModules } = await vitest.runTestSpecifications([specification]);
      clearInterval(watchdog);
      const progress = readFileSync(join(folder, 'progress.json'), 'utf8');
      const errors = testModules
        .filter(({ moduleId }) => moduleId === path)
        .flatMap((module) => module.errors())
        .map(({ message }) => message);
      return { results: read(), errors, stuck, last: progress ? JSON.parse(progress).mutant : undefined };
    },
    close: () => vitest.close(),
  };
}

/** Runs a test file against all mutants that are alive and were not tested with it yet. */
async function tryFile(bench, { test, hash, skip }, mutants) {
  const strangers = mutants.filter(({ status, seen }) => status === 'alive' && seen[test] !== hash);
  if (strangers.length === 0) return;
  const startedMs = Date.now();
  const { results, errors } = await bench.run(test, { pass: 'coverage' });
  const failed = results.filter((result) => result.failed);
  if (failed.length > 0 || errors.length > 0 || results.length === 0)
    throw new Error(
      `${test} fails without a mutant: ${[...errors, ...failed.map(({ name, failed }) => `${name}: ${failed}`)].join('; ')}`,
    );
  const covered = results.filter(({ test: id, name }) => id !== 'loading' && !skip?.test(name));
  const limits = Object.fromEntries(covered.map(({ test: id, ms }) => [id, Math.round(5_000 + 10 * ms)]));
  const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  const isOpen = (id) => byId.get(id)?.status === 'alive' && byId.get(id)?.seen[test] !== hash;
  const settle = (id, status) => Object.assign(byId.get(id), { status, by: test, byHash: hash });

  const done = new Set();
  const unsure = new Map();
  for (let round = 0; round < 40; round++) {
    const plan = {};
    for (const { test: id, hits } of covered) {
      const open = hits.filter((hit) => isOpen(hit) && !done.has(`${id} ${hit}`));
      if (open.length > 0) plan[id] = { mutants: open };
    }
    if (Object.keys(plan).length === 0) break;
    const run = await bench.run(test, { pass: 'mutants', tests: plan, limits });
    const complaints = new Set();
    for (const { mutant, test: id, outcome, message } of run.results) {
      done.add(`${id} ${mutant}`);
      if (outcome === 'killed' || outcome === 'timeout') settle(mutant, outcome);
      if (outcome !== 'unsure') continue;
      settle(mutant, 'alive');
      unsure.set(mutant, [...(unsure.get(mutant) ?? []), id]);
      complaints.add(message);
    }
    for (const complaint of complaints) say(`  ${basename(test)} fails after mutants: ${complaint}`);
    const isFinished = Object.entries(plan).every(([id, { mutants: ids }]) =>
      ids.every((hit) => !isOpen(hit) || done.has(`${id} ${hit}`)),
    );
    if (isFinished) break;
    if (run.last > 0) settle(run.last, run.stuck === undefined ? 'killed' : 'timeout');
    else if (run.results.length === 0) throw new Error(`${test} could not be run: ${run.errors.join('; ')}`);
  }
  for (const [id, tests] of unsure)
    if (isOpen(id)) await tryFromStart(bench, test, id, tests, limits, settle);

  const inTests = new Set(covered.flatMap(({ hits }) => hits));
  const atLoading = new Set(results.filter(({ test: id }) => id === 'loading').flatMap(({ hits }) => hits));
  for (const id of atLoading) {
    if (!isOpen(id) || inTests.has(id)) continue;
    const neighbours = covered.filter(({ hits }) =>
      hits.some((hit) => byId.get(hit)?.file === byId.get(id).file),
    );
    if (neighbours.length > 0)
      await tryFromStart(
        bench,
        test,
        id,
        neighbours.map(({ test: neighbour }) => neighbour),
        limits,
        settle,
      );
  }
  for (const mutant of mutants) {
    if (inTests.has(mutant.id) || atLoading.has(mutant.id)) mutant.isCovered = true;
    if (isOpen(mutant.id)) mutant.seen[test] = hash;
  }
  const killed = mutants.filter(({ by, byHash }) => by === test && byHash === hash).length;
  say(`${basename(test)}: ${killed} of ${mutants.length} mutants killed, ${seconds(Date.now() - startedMs)}`);
}

/** Runs a separate process in which the mutant is active before any module is loaded. */
async function tryFromStart(bench, test, id, tests, limits, settle) {
  const run = await bench.run(test, { pass: 'load', active: id, tests, limits });
  if (run.stuck !== undefined) settle(id, 'timeout');
  else if (run.errors.length > 0 || run.results.some(({ outcome }) => outcome === 'killed'))
    settle(id, 'killed');
}

const toolHash = hashOf(tools.map((name) => readFileSync(join(root, 'scripts/mutants', name))).join('\n'));
const cacheFolder = join(root, '.cache', 'mutants');

function cacheFile(file) {
  return join(cacheFolder, `${file.replaceAll('/', '_')}.json`);
}

/** Earlier results are valid while the source, and the test that killed or missed a mutant, are unchanged. */
function recall(mutants) {
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    if (!existsSync(cacheFile(file))) continue;
    const cached = JSON.parse(readFileSync(cacheFile(file), 'utf8'));
    if (cached.tool !== toolHash) continue;
    for (const mutant of mutants.filter((one) => one.file === file && one.hash === cached.hash)) {
      if (!cached.mutants[mutant.key]) continue;
      const { status, by, byHash, seen, isCovered } = cached.mutants[mutant.key];
      const isSame =
        by !== undefined && existsSync(join(root, by)) && hashOf(readFileSync(join(root, by))) === byHash;
      Object.assign(mutant, { seen, isCovered }, isSame ? { status, by, byHash } : {});
    }
  }
}

function remember(mutants) {
  mkdirSync(cacheFolder, { recursive: true });
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const own = mutants.filter((mutant) => mutant.file === file);
    const kept = own.map(({ key, status, by, byHash, seen, isCovered }) => [
      key,
      { status, by, byHash, seen, isCovered },
    ]);
    writeFileSync(
      cacheFile(file),
      JSON.stringify({ tool: toolHash, hash: own[0].hash, mutants: Object.fromEntries(kept) }),
    );
  }
}

function hashOf(content) {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

function report(mutants, ms) {
  const accepted = JSON.parse(readFileSync(join(root, 'scripts/mutants/accepted.json'), 'utf8'));
  const files = [...new Set(mutants.map(({ file }) => file))];
  let isGood = true;
  const unused = new Set(accepted.filter(({ file }) => files.includes(file)));
  for (const mutant of mutants.filter(({ status }) => status === 'alive')) {
    const { file, line, code, original, mutant: change, isCovered } = mutant;
    const entry = [...unused].find(
      (one) => one.file === file && one.code === code && one.original === original && one.mutant === change,
    );
    if (entry) unused.delete(entry);
    else isGood = false;
    const verdict = entry
      ? `accepted: ${entry.reason}`
      : `SURVIVED${isCovered ? '' : ' (not reached by any test)'}`;
    say(`${file}:${line}  ${original} → ${change}  ${verdict}`);
  }
  for (const { file, original, mutant } of unused) {
    say(
      `${file}: "${original} → ${mutant}" is accepted, but was killed or no longer exists; remove it from the list.`,
    );
  }
  say('');
  for (const file of files) say(`${score(mutants.filter((mutant) => mutant.file === file))}  ${file}`);
  const total = score(mutants);
  say(`${total}  in total, ${seconds(ms)}`);
  return isGood && Number.parseFloat(total) >= WANTED_SCORE;
}

function score(mutants) {
  const alive = mutants.filter(({ status }) => status === 'alive').length;
  const late = mutants.filter(({ status }) => status === 'timeout').length;
  const percent = Math.floor((1000 * (mutants.length - alive)) / mutants.length) / 10;
  return `${percent.toFixed(1)} % of ${mutants.length} (${alive} survived, ${late} timed out)`;
}

function seconds(ms) {
  return `${Math.round(ms / 1000)} s`;
}
