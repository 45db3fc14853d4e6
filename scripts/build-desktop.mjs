/**
 * `npm run build:desktop`: bundles the desktop app into apps/desktop/dist, with the page and the examples. Does not need
 * Electron. A no-op if no source changed.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { build, cliEntry } from './build.mjs';
import { isMain, isProduct, root, say, setUp, unlessDone } from './set-up.mjs';

export const desktopRoot = join(root, 'apps/desktop');
export const desktopDist = join(desktopRoot, 'dist');

export async function buildDesktop() {
  await build();
  const scripts = ['scripts/bundle.mjs', 'scripts/deferred-schemas.mjs', 'scripts/build-desktop.mjs'];
  const inputs = ['packages', 'apps', 'examples', ...scripts, 'package-lock.json'];
  await unlessDone('desktop-build-stamp', { inputs, result: desktopDist, isPart: isProduct }, bundleDesktop);
}

async function bundleDesktop() {
  say('Building the desktop app…');
  const { bundle } = await import('./bundle.mjs');
  // CommonJS is loaded synchronously: the system may pass a link or a file before an ES module would be ready.
  await bundle({ main: 'apps/desktop/src/main.ts' }, desktopDist, {
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: 'chunks/[name]-[hash].cjs',
  });
  // A sandboxed preload must be one CommonJS file.
  await bundle({ preload: 'apps/desktop/src/preload.ts' }, desktopDist, {
    format: 'cjs',
    entryFileNames: '[name].cjs',
    cleanDir: false,
    codeSplitting: false,
  });
  for (const name of ['web', 'examples'])
    cpSync(join(cliEntry, '..', name), join(desktopDist, name), { recursive: true });
  cpSync(join(desktopRoot, 'assets/icon.png'), join(desktopDist, 'icon.png'));
}

if (isMain(import.meta.url)) {
  setUp();
  await buildDesktop();
}
