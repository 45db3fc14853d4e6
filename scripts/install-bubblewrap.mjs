/**
 * Installs bubblewrap for the tests of the sandbox, as root on Debian and Ubuntu. Elsewhere, and if that fails, these tests are
 * skipped with a message.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackage } from './apt.mjs';
import { say } from './set-up.mjs';

/** The options are for tests. */
export async function ensureBubblewrap(options = {}) {
  const { env = process.env, isRoot = process.getuid?.() === 0, wait = sleep, log = say } = options;
  const isInstalled = (env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'bwrap')));
  if (process.platform !== 'linux' || !isRoot || isInstalled) return;
  log('The tests of the sandbox need bubblewrap; installing it (once)…');
  const otherwise = 'after that these tests are skipped';
  await installPackage(['bubblewrap'], { env, wait, log, what: 'bubblewrap', otherwise });
}
