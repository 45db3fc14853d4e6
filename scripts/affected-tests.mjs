/**
 * The tests of `npm run check`: those nearest to the files that differ from the last commit, by imports. A type that changed is no
 * reason to run a test, because the compiler checks it; a file that all depend on would run all tests, which `npm test` does.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesIn, root } from './set-up.mjs';

/** How many test files of each project fit into a minute, beside the static checks. */
const MOST = { node: 16, web: 8 };

/** Names of the test files to run, by project, and how many others import the changed files indirectly. */
export function chooseTests(changed = findChanged(), importers = findImporters()) {
  const distances = new Map(changed.map((file) => [file, 0]));
  for (const [file, distance] of distances)
    for (const importer of importers.get(file) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  const tests = [...distances.keys()].filter((file) =>
    /^(?:packages|apps|scripts)\/.*\.test\.tsx?$/.test(file),
  );
  const isWeb = (file) => file.endsWith('.tsx');
  const chosen = {
    node: tests.filter((file) => !isWeb(file)).slice(0, MOST.node),
    web: tests.filter(isWeb).slice(0, MOST.web),
  };
  return { ...chosen, others: tests.length - chosen.node.length - chosen.web.length };
}

function findChanged() {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  return [
    ...git('diff', '--name-only', '--diff-filter=d', 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

/** A value that is imported or exported again; `import type` leaves nothing in the program. */
const IMPORT = /^(?:import|export) (?!type\b)(?:[^;']*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm;

function findImporters() {
  const importers = new Map();
  for (const file of ['packages', 'apps', 'scripts'].flatMap((folder) => [...filesIn(folder)])) {
    if (!/\.(?:tsx?|mjs)$/.test(file)) continue;
    for (const [, fixed, lazy] of readFileSync(join(root, file), 'utf8').matchAll(IMPORT)) {
      const target = resolveImport(file, fixed ?? lazy);
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return importers;
}

/** The path of our own module below the root; any text for others. */
function resolveImport(file, name) {
  if (name.startsWith('.')) return join(dirname(file), name.replace(/\?.*$/, ''));
  const [, workspace, path = 'index'] = /^@crewagent\/(\w+)(?:\/(.+))?$/.exec(name) ?? [];
  return workspace ? `packages/${workspace}/src/${path}.ts` : name;
}
