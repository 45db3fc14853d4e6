/**
 * Builds the npm package `@crewagent/client`: one file for Node and browsers, `local` for Node, and the compiler's declarations.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { threadSource } from './bundle.mjs';
import { bundledNotices, createPackageNotes } from './bundled-packages.mjs';
import { root, runNode, toolPath } from './set-up.mjs';

const source = join(root, 'packages/client');

/** Writes the package to this folder. The same sources give the same bytes. */
export async function buildClient(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const notes = createPackageNotes();
  await bundleEntry('index', 'browser', folder, notes);
  await bundleEntry('local', 'node', folder, notes);
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), bundledNotices([...notes.names]));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(root, 'docs/client.md'), join(folder, 'README.md'));
  cpSync(join(source, 'examples'), join(folder, 'examples'), { recursive: true });
  const { name, version } = readJson(join(source, 'package.json'));
  const { license } = readJson(join(root, 'package.json'));
  const { dependencies } = readJson(join(root, 'packages/protocol/package.json'));
  const entry = (file) => ({ types: `./types/client/${file}.d.ts`, default: `./${file}.js` });
  const manifest = {
    ...{
      name,
      version,
      description: 'Drives workflows of a CrewAgent server from your own programs.',
      license,
    },
    ...{ type: 'module', sideEffects: false, engines: { node: '>=20' } },
    exports: { '.': entry('index'), './local': entry('local') },
    // Its types are part of the declarations.
    dependencies: { zod: dependencies.zod },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

async function bundleEntry(name, platform, folder, notes) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    ...{ input: join(source, `src/${name}.ts`), cwd: root, platform, logLevel: 'warn' },
    plugins: [threadSource, indexBeside, notes.plugin],
  });
  try {
    const file = join(folder, `${name}.js`);
    await build.write({ file, format: 'esm', codeSplitting: false });
  } finally {
    await build.close();
  }
}

/** Two copies of it would be two classes of errors. */
const indexBeside = {
  name: 'index-beside',
  resolveId: (id) => (id === './index.ts' ? { id: './index.js', external: true } : null),
};

/** The declarations that the entries reach, with relative imports in place of the names of workspaces. */
export function writeDeclarations(folder) {
  if (runNode([toolPath('typescript7', 'tsc'), '-b', '--checkers', '1', source]) !== 0) return false;
  const types = join(root, '.cache/types');
  const seen = new Set();
  const copy = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    const path = join(types, `${file}.d.ts`);
    const text = readFileSync(path, 'utf8').replace(
      /(?<=(?:from |import\()(["']))(@crewagent\/protocol\/|\.{1,2}\/)([^"']+?)(?:\.ts)?(?=\1)/g,
      (_, __, start, rest) => {
        const target = start.startsWith('@') ? `protocol/${rest}` : join(dirname(file), start, rest);
        copy(target);
        const path = relative(dirname(file), target).replaceAll('\\', '/');
        return `${path.startsWith('.') ? path : `./${path}`}.js`;
      },
    );
    mkdirSync(dirname(join(folder, 'types', file)), { recursive: true });
    writeFileSync(join(folder, 'types', `${file}.d.ts`), text.replace(/^\/\/# sourceMappingURL.*\n?/m, ''));
  };
  for (const entry of ['index', 'local']) copy(`client/${entry}`);
  return true;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
