/**
 * The imports of all sources, as far as they are written: a line that imports or exports again, and `import('…')`.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesIn, root } from './set-up.mjs';

const IMPORT = /^(?:import|export) (type )?(?:[^;']*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm;

/** By file, relative to the root. `isType`: `import type`, which leaves nothing in the program. */
export function findImports(folders) {
  const imports = new Map();
  for (const file of folders.flatMap((folder) => [...filesIn(folder)])) {
    if (!/\.(?:tsx?|mjs)$/.test(file)) continue;
    const found = readFileSync(join(root, file), 'utf8').matchAll(IMPORT);
    const toImport = ([, type, fixed, lazy]) => ({ to: resolveImport(file, fixed ?? lazy), isType: !!type });
    imports.set(file, Array.from(found, toImport));
  }
  return imports;
}

/** The path of our own module; the name of a module of Node; a path below node_modules for others. */
function resolveImport(file, name) {
  if (name.startsWith('.')) return join(dirname(file), name.replace(/\?.*$/, ''));
  const [, workspace, path = 'index'] = /^@crewagent\/(\w+)(?:\/(.+))?$/.exec(name) ?? [];
  if (workspace) return `packages/${workspace}/src/${path}.ts`;
  return name.startsWith('node:') ? name : `node_modules/${name}/`;
}
