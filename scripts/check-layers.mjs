/**
 * Checks every import against the layers in `layers.config.mjs`, that no files import each other in a cycle, and that no two
 * folders do, a folder and its sub-folder included.
 */
import { dirname } from 'node:path';
import { forbidden, mutualFolders } from '../layers.config.mjs';
import { findImports } from './imports.mjs';
import { isMain, say } from './set-up.mjs';

/** `imports`: as `findImports` returns them. One line for each violation. */
export function findViolations(imports, rules = forbidden, exceptions = mutualFolders) {
  const mutual = findMutual(imports);
  return [
    ...rules.flatMap((rule) => findForbidden(imports, rule)),
    ...findCyclic(imports).map((file) => `no-cycles: ${file}`),
    ...mutual
      .filter((pair) => !exceptions.includes(pair))
      .map((pair) => `folders import each other: ${pair}`),
    ...exceptions.filter((pair) => !mutual.includes(pair)).map((pair) => `no longer an exception: ${pair}`),
  ];
}

function findForbidden(imports, { name, from, to }) {
  const [isFrom, isTo] = [from, to].map(({ path = '', pathNot = [] }) => {
    const [wanted, ...excluded] = [path, ...[pathNot].flat()].map((pattern) => new RegExp(pattern));
    return (file) => wanted.test(file) && !excluded.some((pattern) => pattern.test(file));
  });
  return [...imports]
    .filter(([file]) => isFrom(file))
    .flatMap(([file, found]) =>
      found.filter((one) => isTo(one.to)).map((one) => `${name}: ${file} → ${one.to}`),
    );
}

/** The files of cycles, and those between two cycles: what is left without those that import none or are imported by none. */
function findCyclic(imports) {
  const left = new Map([...imports].map(([file, found]) => [file, found.map(({ to }) => to)]));
  for (let size = Number.POSITIVE_INFINITY; left.size < size; ) {
    size = left.size;
    const imported = new Set([...left.values()].flat());
    for (const [file, targets] of left)
      if (!imported.has(file) || !targets.some((target) => left.has(target))) left.delete(file);
  }
  return [...left.keys()];
}

/** Pairs of folders whose sources import each other, as "a ↔ b". */
function findMutual(imports) {
  const pairs = new Set();
  for (const [file, found] of imports)
    for (const { to } of /\.test\.tsx?$/.test(file) ? [] : found)
      if (imports.has(to)) pairs.add(`${dirname(file)} ↔ ${dirname(to)}`);
  return [...pairs].filter((pair) => {
    const [one, other] = pair.split(' ↔ ');
    return one < other && pairs.has(`${other} ↔ ${one}`);
  });
}

if (isMain(import.meta.url)) {
  const imports = findImports(['packages', 'apps']);
  const violations = findViolations(imports);
  for (const violation of violations) say(violation);
  if (violations.length > 0) process.exitCode = 1;
  else say(`layers: ${imports.size} modules, no violations`);
}
