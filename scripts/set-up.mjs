/**
 * Sets up a fresh clone: checks the Node version, and installs the dependencies of the lockfile. A no-op if nothing changed.
 * Runs before anything is installed, so it uses only Node.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'node_modules', '.crewagent-set-up');

/** Installs the dependencies of package-lock.json, unless they are up to date. */
export function setUp() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    fail(
      `CrewAgent needs Node 20.19 or later, but this is ${process.version}. Install a current Node and run again.`,
    );
  }
  const expected = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === expected) return;
  say('Installing dependencies (once)…');
  const { status, signal, error } = npm(['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  if (signal) process.exit(130);
  if (status !== 0) {
    fail(
      `The dependencies could not be installed${error ? ` (${error.message})` : ''}. ` +
        'They come from the npm registry: check the network, the proxy and "npm config get registry", then run again.',
    );
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, expected);
}

/** Runs a tool from node_modules with inherited output. Returns its exit code. */
export function runTool(name, args, { bin, ...options } = {}) {
  return runNode([toolPath(name, bin), ...args], options);
}

/** The script of a tool in node_modules; `bin` if it has several. */
export function toolPath(name, bin) {
  const folder = join(root, 'node_modules', name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const bins = typeof manifest.bin === 'string' ? [manifest.bin] : Object.values(manifest.bin);
  return join(folder, bin ? manifest.bin[bin] : bins[0]);
}

/** Runs a script with this Node and inherited output. Returns its exit code. */
export function runNode(args, options = {}) {
  const { status, signal } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', ...options });
  if (signal) process.exit(130);
  return status ?? 1;
}

/** Like `runNode`, but asynchronous; resolves with its output. */
export function startNode(args, options = {}) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal) process.exit(130);
      resolve({ status: code ?? 1, output });
    });
  });
}

export function say(text) {
  process.stderr.write(`${text}\n`);
}

export function fail(text) {
  say(text);
  process.exit(1);
}

/** Path, size and time of all files below the paths, a line each. `isPart` selects names, all by default. */
export function describeFiles(paths, isPart) {
  return paths
    .flatMap((part) => [...filesIn(part, isPart)])
    .map((path) => {
      const { size, mtimeMs } = statSync(join(root, path));
      return `${path}\0${size}\0${mtimeMs}\n`;
    })
    .join('');
}

/** Runs `work`, unless it succeeded with the same inputs and `result` still exists. */
export async function unlessDone(name, { inputs, result, isPart }, work) {
  const stamp = join(root, '.cache', name);
  const current = describeFiles(inputs, isPart);
  if (existsSync(result) && existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return;
  await work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, current);
}

/** Whether a script was started itself, not imported. */
export function isMain(url) {
  return url === pathToFileURL(process.argv[1] ?? '').href;
}

/** The path itself, or all files below it that are neither installed nor built, relative to the root. */
export function* filesIn(path, isPart = () => true) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stats?.isDirectory()) {
    if (stats) yield path;
    return;
  }
  for (const name of readdirSync(join(root, path)).sort())
    if (!SKIPPED.has(name) && isPart(name)) yield* filesIn(`${path}/${name}`, isPart);
}

const SKIPPED = new Set(['node_modules', 'dist']);

/** For fingerprints of the product, which exclude tests. */
export function isProduct(name) {
  return name !== 'testing' && !/\.test\.tsx?$/.test(name);
}

function fingerprint() {
  const hash = createHash('sha256');
  hash.update(`${process.platform} ${process.arch}\n`);
  hash.update(readFileSync(join(root, 'package-lock.json')));
  return hash.digest('hex');
}

/** The npm that started this process, so that neither a shell nor PATH is needed (npm is a script on Windows). */
export function npm(args, cwd = root) {
  const options = { cwd, stdio: ['ignore', 2, 2] };
  const cli = process.env.npm_execpath;
  if (cli) return spawnSync(process.execPath, [cli, ...args], options);
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
}
