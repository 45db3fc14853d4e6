/**
 * Installs packages of Debian and Ubuntu. Repeats `apt-get` while a lock is held: of dpkg, of the package lists or of the
 * downloads. apt has a timeout only for the first, so locks are detected from its messages.
 */
import { spawn } from 'node:child_process';

const WAIT_MS = 5_000;
const MAX_WAITS = 180;

/** Installs the first package that can be installed, and says why if none can. */
export async function installPackage(names, options) {
  const apt = createApt(options);
  const install = (name) => apt('install', '-y', '--no-install-recommends', name);
  const [first, ...others] = names;
  let result = await install(first);
  // The package lists may be missing or out of date.
  if (result.kind === 'failed') {
    result = await apt('update');
    if (result.kind === 'done') result = await install(first);
  }
  for (const other of others) if (result.kind === 'failed') result = await install(other);
  if (result.kind === 'failed') options.log(`apt-get could not install ${options.what}: ${result.reason}`);
}

/** `otherwise`: what happens after the wait. All calls together wait at most 15 minutes. */
function createApt({ env, wait, log, otherwise }) {
  let waits = 0;
  return async (...args) => {
    for (;;) {
      const { status, output } = await runApt(args, env);
      if (status === 0) return { kind: 'done' };
      if (status === undefined) return { kind: 'missing' };
      if (!LOCKED.test(output)) return { kind: 'failed', reason: toReason(output) };
      if (waits >= MAX_WAITS) return { kind: 'busy' };
      if (waits === 0) log(toWaitSentence(output, otherwise));
      waits += 1;
      await wait(WAIT_MS);
    }
  };
}

const LOCKED =
  /Could not get lock|Unable to acquire the dpkg frontend lock|lock was locked by another process/;

function toWaitSentence(output, otherwise) {
  const [, pid, name] = /held by process (\d+) \(([^)]+)\)/.exec(output) ?? [];
  const holder = pid === undefined ? 'another program' : `${name} (process ${pid})`;
  const minutes = (WAIT_MS * MAX_WAITS) / 60_000;
  return `Waiting up to ${minutes} minutes for ${holder} to release the package manager; ${otherwise}…`;
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
