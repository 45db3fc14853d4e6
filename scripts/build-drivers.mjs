/**
 * Bundles the scripts that tests start as child processes or threads, once for all tests, into a folder that every user of the machine can
 * read, because some of them run as another user.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { bundle } from './bundle.mjs';
import { root } from './set-up.mjs';

const SOURCES = ['core', 'team', 'doors'].map((name) => `packages/${name}/src/testing/drivers`);

/** A vitest global setup; the returned function removes the folder. */
export default async function setup({ provide }) {
  const folder = mkdtempSync(join(tmpdir(), 'crewagent-drivers-'));
  const files = SOURCES.flatMap((source) =>
    readdirSync(join(root, source)).map((file) => `${source}/${file}`),
  );
  await bundle(
    {
      ...Object.fromEntries(files.map((file) => [basename(file, '.ts'), file])),
      'work-thread': 'packages/server/src/hosts/work-thread.ts',
    },
    join(folder, 'dist'),
  );
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  // Native addons are resolved as in the product.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  chmodSync(folder, 0o755);
  provide('driversFolder', join(folder, 'dist'));
  return () => rmSync(folder, { recursive: true, force: true });
}
