/**
 * `npm run build:web`: builds the web UI into apps/web/dist and checks its size. A no-op if no source changed.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { isMain, isProduct, root, say, setUp, unlessDone } from './set-up.mjs';

const web = join(root, 'apps/web');
export const webDist = join(web, 'dist');

/** Limit of the initial load, in gzipped kilobytes. */
export const MAX_FIRST_KB = 290;

export function buildWeb() {
  const inputs = [
    'apps/web',
    'docs/authors',
    'docs/users',
    'docs/images/guide',
    'packages/protocol',
    'scripts/build-web.mjs',
    'scripts/bundled-packages.mjs',
    'package-lock.json',
  ];
  const result = join(webDist, 'index.html');
  return unlessDone('web-build-stamp', { inputs, result, isPart: isProduct }, buildPage);
}

async function buildPage() {
  say('Building the web UI…');
  const { build } = await import('vite');
  const { NODE_ENV } = process.env;
  // Always a production build, also when started by a test runner; restored afterwards for the tests that follow.
  process.env.NODE_ENV = 'production';
  try {
    await build({ configFile: join(web, 'vite.config.ts'), logLevel: 'warn' });
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  compressAssets();
}

/** Packages that the page contains. */
export function readWebPackages() {
  return JSON.parse(readFileSync(join(webDist, '.vite/packages.json'), 'utf8'));
}

/** Smaller files are not worth a second one. */
const MIN_COMPRESSED_BYTES = 1_024;

/** Beside each text `x`, `x.br`, which the server sends instead. The first load is compressed best: the rest would take seconds. */
function compressAssets() {
  const assets = join(webDist, 'assets');
  const first = new Set(measureWeb().firstFiles.map((file) => join(webDist, file)));
  for (const name of readdirSync(assets)) {
    const file = join(assets, name);
    if (!/\.(?:js|css|svg)$/.test(name) || statSync(file).size < MIN_COMPRESSED_BYTES) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: first.has(file) ? 11 : 6 };
    writeFileSync(`${file}.br`, brotliCompressSync(readFileSync(file), { params }));
  }
}

/** Gzipped sizes in kilobytes: of the initial load, and of each lazily loaded part. */
export function measureWeb() {
  const manifest = JSON.parse(readFileSync(join(webDist, '.vite/manifest.json'), 'utf8'));
  const first = new Set(['index.html']);
  for (const name of first) for (const other of manifest[name].imports ?? []) first.add(other);
  const filesOf = (names) =>
    new Set(names.flatMap((name) => [manifest[name].file, ...(manifest[name].css ?? [])]));
  const firstFiles = filesOf([...first]);
  const later = Object.keys(manifest).filter((name) => manifest[name].isDynamicEntry);
  return {
    firstFiles: [...firstFiles],
    firstKb: sizeOf([...firstFiles]),
    laterKb: Object.fromEntries(
      later.map((name) => [manifest[name].name ?? name, sizeOf([...filesOf([name])])]),
    ),
  };
}

function sizeOf(files) {
  const bytes = files.map((file) => gzipSync(readFileSync(join(webDist, file))).length);
  return Math.round(bytes.reduce((sum, size) => sum + size, 0) / 100) / 10;
}

if (isMain(import.meta.url)) {
  setUp();
  await buildWeb();
  const { firstKb, laterKb } = measureWeb();
  say(`first: ${firstKb} kB gzip (of ${MAX_FIRST_KB})`);
  for (const [name, kb] of Object.entries(laterKb)) say(`later: ${kb} kB ${name}`);
  if (firstKb > MAX_FIRST_KB) process.exitCode = 1;
}
