/**
 * Gets a Chromium for the tests of the page where there is none: the package of Debian or Ubuntu where we are root, else the
 * browser that Playwright downloads. Waits while another program uses the package manager.
 */
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { findChromium } from './find-chromium.mjs';
import { runTool, say } from './set-up.mjs';

const WAIT_MS = 5_000;
const MAX_WAITS = 180;

/** Returns the path of a Chromium; undefined where none could be installed. The options are for tests. */
export async function ensureChromium(options = {}) {
  const { env = process.env, isRoot = process.getuid?.() === 0 } = options;
  const { wait = sleep, tell = say, download = downloadWithPlaywright } = options;
  const find = () => findChromium(env, options.otherPaths);
  const found = find();
  if (found) return found;
  tell('The tests of the page need Chromium; installing it (once)…');
  if (isRoot) {
    await installPackage(createApt({ env, wait, tell }), tell);
    const installed = find();
    if (installed) return installed;
  }
  download();
  return find();
}

function downloadWithPlaywright() {
  runTool('playwright-core', ['install', 'chromium']);
}

async function installPackage(apt, tell) {
  const install = (name) => apt('install', '-y', '--no-install-recommends', name);
  let result = await install('chromium-headless-shell');
  // The package lists may be missing or out of date.
  if (result.kind === 'failed') {
    result = await apt('update');
    if (result.kind === 'done') result = await install('chromium-headless-shell');
    if (result.kind === 'failed') result = await install('chromium');
  }
  if (result.kind === 'failed') tell(`apt-get could not install Chromium: ${result.reason}`);
}

/**
 * `apt-get`, repeated while a lock is held: of dpkg, of the package lists or of the downloads. Only the first of these has a
 * time-out of apt's own, so apt's messages are what tells. All calls together wait at most a quarter of an hour.
 */
function createApt({ env, wait, tell }) {
  let waits = 0;
  return async (...args) => {
    for (;;) {
      const { status, output } = await runApt(args, env);
      if (status === 0) return { kind: 'done' };
      if (status === undefined) return { kind: 'missing' };
      if (!LOCKED.test(output)) return { kind: 'failed', reason: toReason(output) };
      if (waits >= MAX_WAITS) return { kind: 'busy' };
      if (waits === 0) tell(toWaitSentence(output));
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

/** The first error of apt, which the others follow from. */
function toReason(output) {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.find((line) => line.startsWith('E:')) ?? lines.find(Boolean) ?? 'it gave no reason.';
}

/** `status` is undefined where there is no apt-get. */
function runApt(args, env) {
  return new Promise((resolve) => {
    const child = spawn('apt-get', ['-qq', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Messages in English: they are read here.
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
