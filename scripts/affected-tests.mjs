/**
 * The tests of `npm run check`: those nearest to the files that differ from the last commit, by imports. A type that changed is no
 * reason to run a test, because the compiler checks it; a file that all depend on would run all tests, which `npm test` does.
 */
import { execFileSync } from 'node:child_process';
import { findImports } from './imports.mjs';
import { root } from './set-up.mjs';

/** How many test files of each project fit into a minute, beside the static checks. */
const MOST = { node: 16, web: 6 };

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

function findImporters() {
  const importers = new Map();
  for (const [file, imports] of findImports(['packages', 'apps', 'scripts']))
    for (const { to, isType } of imports)
      if (!isType) importers.set(to, [...(importers.get(to) ?? []), file]);
  return importers;
}
