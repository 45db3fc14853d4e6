/**
 * `npm run build`: bundles the product. Does nothing when no source changed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fingerprintOf, root, say, setUp } from './set-up.mjs';

export const cliEntry = join(root, 'apps/cli/dist/crewagent.js');
const stamp = join(root, '.cache', 'build-stamp');

/** Builds if anything the product is made of changed since the last time. */
export async function build() {
  const wanted = fingerprintOf([
    'packages',
    'apps',
    'scripts/bundle.mjs',
    'scripts/build.mjs',
    'package-lock.json',
  ]);
  if (existsSync(cliEntry) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  say('Building…');
  const { bundle } = await import('./bundle.mjs');
  const dist = join(root, 'apps/cli/dist');
  // Node finds and links CommonJS files in half the time.
  await bundle({ crewagent: 'apps/cli/src/main.ts' }, dist, { format: 'cjs' });
  writeFileSync(join(dist, 'package.json'), '{"type":"commonjs"}\n');
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(stamp, wanted);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  setUp();
  await build();
}
