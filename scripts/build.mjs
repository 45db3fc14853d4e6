/**
 * `npm run build`: bundles the product. A no-op if no source changed.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb, readWebPackages, webDist } from './build-web.mjs';
import { packagesBeside, writeBundledPackages } from './bundled-packages.mjs';
import { compileCode } from './compile-code.mjs';
import { fail, isMain, isProduct, root, runNode, say, setUp, unlessDone } from './set-up.mjs';

export const cliEntry = join(root, 'apps/cli/dist/crewagent.js');
const dist = join(cliEntry, '..');

/** Builds if any source of the product changed since the last build. */
export async function build() {
  const scripts = ['bundle', 'bundled-packages', 'schemas-on-use', 'build', 'build-web', 'compile-code'].map(
    (name) => `scripts/${name}.mjs`,
  );
  const inputs = ['packages', 'apps', 'examples', ...scripts, 'package-lock.json'];
  await unlessDone('build-stamp', { inputs, result: cliEntry, isPart: isProduct }, buildProgram);
  await compileCode(dist);
}

async function buildProgram() {
  say('Building…');
  const { bundle, bundledPackages } = await import('./bundle.mjs');
  // Node resolves and links CommonJS files in half the time.
  // Files of earlier builds are kept for a day: an active run may still load one.
  const entries = {
    crewagent: 'apps/cli/src/main.ts',
    program: 'apps/cli/src/program.ts',
    'work-thread': 'packages/server/src/hosts/work-thread.ts',
  };
  await bundle(entries, dist, { format: 'cjs', cleanDir: false });
  removeOld(join(dist, 'chunks'));
  rmSync(join(dist, 'code'), { recursive: true, force: true });
  writeFileSync(join(dist, 'package.json'), '{"type":"commonjs"}\n');
  await addWeb(join(dist, 'web'));
  writeBundledPackages(dist, [...bundledPackages, ...readWebPackages()], packagesBeside());
  addExamples(join(dist, 'examples'));
  addHelp(join(dist, 'help.txt'), 'C');
  addHelp(join(dist, 'help.zh-CN.txt'), 'zh_CN.UTF-8');
}

/** Copies the page beside the program that serves it. */
async function addWeb(folder) {
  await buildWeb();
  cpSync(webDist, folder, { recursive: true, filter: (path) => !path.endsWith('.vite') });
  removeOld(join(folder, 'assets'));
}

/** Packs the examples beside the program, with the program itself, reproducibly. */
function addExamples(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const name of readdirSync(join(root, 'examples'))) {
    const source = join('examples', name);
    if (!['bmad.json', 'method.md'].some((file) => existsSync(join(root, source, file)))) continue;
    const status = runNode([cliEntry, 'pack', source, '--out', join(folder, `${name}.bmad`)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) fail(`The example "${name}" could not be packed.`);
  }
}

/** What `--help` prints on a terminal of this language (`main.ts`). */
function addHelp(file, locale) {
  rmSync(file, { force: true });
  const env = { ...process.env, LC_ALL: locale };
  const { status, stdout } = spawnSync(process.execPath, [cliEntry, '--help'], { encoding: 'utf8', env });
  if (status !== 0) fail('The help could not be printed.');
  writeFileSync(file, stdout);
}

const DAY_MS = 24 * 60 * 60 * 1000;

function removeOld(folder) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    // Another build of the same folder may have removed it.
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > DAY_MS) rmSync(file, { force: true });
  }
}

if (isMain(import.meta.url)) {
  setUp();
  await build();
}
