/**
 * Installs Chromium for the tests of the page: the package of Debian or Ubuntu as root, otherwise the browser that Playwright
 * downloads. Waits while another program uses the package manager.
 */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { findChromium } from './find-chromium.mjs';
import { runTool, say } from './set-up.mjs';

const WAIT_MS = 5_000;
const MAX_WAITS = 180;

/** Returns the path of Chromium; undefined if it could not be installed. The options are for tests. */
export async function ensureChromium(options = {}) {
  const { env = process.env, isRoot = process.getuid?.() === 0 } = options;
  const { wait = sleep, log = say, download = downloadWithPlaywright } = options;
  const find = () => findChromium(env, options.otherPaths);
  const found = find();
  if (found) return found;
  log('The tests of the page need Chromium; installing it (once)…');
  if (isRoot) {
    await installPackage(createApt({ env, wait, log }), log);
    const installed = find();
    if (installed) return installed;
  }
  download();
  return find();
}

function downloadWithPlaywright() {
  runTool('playwright-core', ['install', 'chromium']);
}

async function installPackage(apt, log) {
  const install = (name) => apt('install', '-y', '--no-install-recommends', name);
  let result = await install('chromium-headless-shell');
  // The package lists may be missing or out of date.
  if (result.kind === 'failed') {
    result = await apt('update');
    if (result.kind === 'done') result = await install('chromium-headless-shell');
    if (result.kind === 'failed') result = await install('chromium');
  }
  if (result.kind === 'failed') log(`apt-get could not install Chromium: ${result.reason}`);
}

/**
 * Runs `apt-get`, and repeats it while a lock is held: of dpkg, of the package lists or of the downloads. apt has a timeout only
 * for the first, so locks are detected from its messages. All calls together wait at most 15 minutes.
 */
function createApt({ env, wait, log }) {
  let waits = 0;
  return async (...args) => {
    for (;;) {
      const { status, output } = await runApt(args, env);
      if (status === 0) return { kind: 'done' };
      if (status === undefined) return { kind: 'missing' };
      if (!LOCKED.test(output)) return { kind: 'failed', reason: toReason(output) };
      if (waits >= MAX_WAITS) return { kind: 'busy' };
      if (waits === 0) log(toWaitSentence(output));
      waits += 1;
      await wait(WAIT_MS);
    }
  };
}

const LOCKED =
  /Could not get lock|Unable to acquire the dpkg frontend lock|lock was locked by another process/;

function toWaitSentence(output) {
  const [, pid, name] = /held by process (\d+) \(([^)]+)\)/.exec(output) ?? [];
  const holder = pid === undefined ? 'another program' : `${name} (process ${pid})`;
  const minutes = (WAIT_MS * MAX_WAITS) / 60_000;
  return `Waiting up to ${minutes} minutes for ${holder} to release the package manager; after that Chromium is downloaded by Playwright instead…`;
}

/** The first error of apt, which causes the others. */
function toReason(output) {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.find((line) => line.startsWith('E:')) ?? lines.find(Boolean) ?? 'it gave no reason.';
}

/** `status` is undefined without apt-get. */
function runApt(args, env) {
  return new Promise((resolve) => {
    const child = spawn('apt-get', ['-qq', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // English messages, because they are parsed here.
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    });
    let output = '';
    const add = (text) => {
      output = (output + text).slice(-MAX_OUTPUT);
    };
    child.stdout.setEncoding('utf8').on('data', add);
    child.stderr.setEncoding('utf8').on('data', add);
    child.on('error', () => resolve({ status: undefined, output }));
    child.on('close', (code) => resolve({ status: code ?? 1, output }));
  });
}

const MAX_OUTPUT = 100_000;
