/**
 * Installs Chromium for the tests of the page: the package of Debian or Ubuntu as root, otherwise the browser that Playwright
 * downloads. Waits while another program uses the package manager.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackage } from './apt.mjs';
import { findChromium } from './find-chromium.mjs';
import { runTool, say } from './set-up.mjs';

/** Returns the path of Chromium; undefined if it could not be installed. The options are for tests. */
export async function ensureChromium(options = {}) {
  const { env = process.env, isRoot = process.getuid?.() === 0 } = options;
  const { wait = sleep, log = say, download = downloadWithPlaywright } = options;
  const find = () => findChromium(env, options.otherPaths);
  const found = find();
  if (found) return found;
  log('The tests of the page need Chromium; installing it (once)…');
  if (isRoot) {
    await installPackage(['chromium-headless-shell', 'chromium'], {
      env,
      wait,
      log,
      what: 'Chromium',
      otherwise: 'after that Chromium is downloaded by Playwright instead',
    });
    const installed = find();
    if (installed) return installed;
  }
  download();
  return find();
}

function downloadWithPlaywright() {
  runTool('playwright-core', ['install', 'chromium']);
}
