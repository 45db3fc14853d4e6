/**
 * `npm run test:mutants [-- SOURCE…]`: mutation testing of the safety-critical code. Instruments a copy of the packages outside the
 * source tree, runs the tests once per mutant that they reach, and fails if a mutant survives that is not in `accepted.json`.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, root, say, setUp, toolPath } from './set-up.mjs';

setUp();
const { findMutants } = await import('./mutants/find-mutants.mjs');
const readList = (name) => JSON.parse(readFileSync(join(root, 'scripts/mutants', name), 'utf8'));
const targets = readList('targets.json');
const only = process.argv.slice(2);
for (const part of only) {
  const isTarget = targets.some(({ sources }) => sources.some((path) => path.startsWith(part)));
  if (!isTarget) fail(`scripts/mutants/targets.json lists no source that begins with "${part}".`);
}
/** What a test file may take with a mutant, beside five times its usual time. */
const GRACE_MS = 20_000;

const copy = realpathSync(mkdtempSync(join(tmpdir(), 'crewagent-mutants-')));
// A test may start a process of another user.
chmodSync(copy, 0o755);
const hitsFile = join(copy, 'hits');
const running = new Set();
process.once('exit', () => {
  for (const { pid } of running) process.kill(-pid, 'SIGKILL');
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
copyRepository();

const survivors = [];
let count = 0;
for (const { sources, tests, skip } of targets) {
  const mutants = sources
    .filter((path) => only.length === 0 || only.some((part) => path.startsWith(part)))
    .flatMap(instrument);
  if (mutants.length === 0) continue;
  const removeDrivers = await buildDrivers();
  const reached = [];
  for (const test of tests) reached.push(await measure(test, skip));
  const queue = [...mutants];
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
        const reaching = reached.filter(({ hits }) => hits.has(mutant.id));
        if (!(await isKilled(mutant.id, reaching, skip)))
          survivors.push({ ...mutant, isReached: reaching.length > 0 });
      }
    }),
  );
  removeDrivers();
  say(`${mutants.length} mutants of ${sources.join(', ')}`);
}
process.exit(report() ? 0 : 1);

/** The sources, and links to the installed modules; our own packages are linked within the copy. */
function copyRepository() {
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
  // Child processes of a test have the same mutant, too.
  writeFileSync(
    join(copy, 'mutant-switch.mjs'),
    `import { appendFileSync } from 'node:fs';
    const { CREWAGENT_MUTANT: active } = process.env;
    const hits = new Set();
    export function isActive(id) {
      if (active === 'none' && !hits.has(id)) appendFileSync(${JSON.stringify(hitsFile)}, hits.add(id) && id + '\\n');
      return active === String(id);
    }`,
  );
  writeFileSync(
    join(copy, 'vitest.config.mjs'),
    `import { threadSource } from './scripts/bundle.mjs';
    export default { plugins: [threadSource], test: {
      include: ['packages/**/*.test.ts'],
      provide: { driversFolder: process.env.CREWAGENT_DRIVERS },
      setupFiles: ['scripts/property-runs.ts'],
      isolate: false, maxWorkers: 1, testTimeout: 60_000, hookTimeout: 60_000,
    } };`,
  );
}

/** Replaces a source of the copy by its instrumented form, and returns its mutants. */
function instrument(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const found = findMutants(file, text, count + 1, join(copy, 'mutant-switch.mjs'));
  count += found.mutants.length;
  writeFileSync(join(copy, file), found.instrumented);
  return found.mutants.map((mutant) => ({ ...mutant, file }));
}

/** The scripts that tests start as child processes, from the instrumented sources. */
async function buildDrivers() {
  const { default: setup } = await import(join(copy, 'scripts/build-drivers.mjs'));
  return setup({
    provide: (_, folder) => {
      process.env.CREWAGENT_DRIVERS = folder;
    },
  });
}

/** The mutants that a test file reaches, and its usual time. */
async function measure(test, skip) {
  writeFileSync(hitsFile, '');
  const startedMs = performance.now();
  const { isPassed, output } = await runTest(test, skip, 'none', 600_000);
  if (!isPassed) throw new Error(`${test} fails without a mutant:\n${output.slice(-5_000)}`);
  const hits = new Set(readFileSync(hitsFile, 'utf8').split('\n').map(Number));
  return { test, hits, ms: performance.now() - startedMs };
}

async function isKilled(mutant, reaching, skip) {
  for (const { test, ms } of reaching) {
    if (!(await runTest(test, skip, mutant, GRACE_MS + 5 * ms)).isPassed) return true;
  }
  return false;
}

/** A process group of its own: a mutant that loops for ever is killed with everything that the test started. */
function runTest(test, skip, mutant, limitMs) {
  const args = ['run', '--root', copy, '--bail', '1', '--reporter', 'dot', test];
  if (skip) args.push('--testNamePattern', `^(?!.*(?:${skip}))`);
  const child = spawn(process.execPath, [toolPath('vitest'), ...args], {
    detached: true,
    env: { ...process.env, CREWAGENT_MUTANT: String(mutant) },
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limitMs);
  return new Promise((resolve) => {
    child.on('close', (status) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ isPassed: status === 0, output });
    });
  });
}

/** Prints the survivors. Whether all are accepted, and all accepted mutants survive. */
function report() {
  const accepted = new Set(
    readList('accepted.json').filter(
      ({ file }) => only.length === 0 || only.some((part) => file.startsWith(part)),
    ),
  );
  const isSame = (one, other) =>
    ['file', 'code', 'original', 'mutant'].every((key) => one[key] === other[key]);
  let isGood = true;
  for (const survivor of survivors) {
    const entry = [...accepted].find((one) => isSame(one, survivor));
    accepted.delete(entry);
    isGood &&= entry !== undefined;
    const verdict = entry?.reason ?? `SURVIVED${survivor.isReached ? '' : ', not reached by any test'}`;
    say(`${survivor.file}:${survivor.line}  ${survivor.original} → ${survivor.mutant}  ${verdict}`);
  }
  for (const { file, original, mutant } of accepted)
    say(`${file}: "${original} → ${mutant}" is accepted, but was killed or no longer exists; remove it.`);
  say(`${count - survivors.length} of ${count} mutants were killed`);
  return isGood && accepted.size === 0;
}
