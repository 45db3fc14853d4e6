/**
 * `npm run build:desktop`: bundles the desktop app into apps/desktop/dist, with the page and the examples. Does not need
 * Electron. A no-op if no source changed.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, cliEntry } from './build.mjs';
import { fingerprintOf, isProduct, root, say, setUp } from './set-up.mjs';

export const desktopRoot = join(root, 'apps/desktop');
export const desktopDist = join(desktopRoot, 'dist');
const stamp = join(root, '.cache', 'desktop-build-stamp');

export async function buildDesktop() {
  await build();
  const fingerprint = fingerprintOf(
    ['packages', 'apps', 'examples', 'scripts/bundle.mjs', 'scripts/build-desktop.mjs', 'package-lock.json'],
    isProduct,
  );
  if (existsSync(desktopDist) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return;
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
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(stamp, fingerprint);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  setUp();
  await buildDesktop();
}
