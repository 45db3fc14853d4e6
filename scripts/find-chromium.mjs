/**
 * The Chromium (or Chrome, or Edge) of this machine, for tests of the web UI; and getting one where there is none.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fail, runTool, say } from './set-up.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** `CREWAGENT_CHROMIUM`, else the first that is found; undefined where there is none. */
export function findChromium(env = process.env) {
  if (env.CREWAGENT_CHROMIUM) return env.CREWAGENT_CHROMIUM;
  const extension = process.platform === 'win32' ? '.exe' : '';
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name + extension)));
  return [...onPath, ...PLACES].find((path) => existsSync(path));
}

/**
 * Sees to it that the tests find one: the system's package where we may install it, else the browser that Playwright
 * downloads. Where neither can be had it says so, and the tests of the web UI
 * are skipped; what guards main does not pass without them.
 */
export async function ensureChromium() {
  if (findChromium()) return;
  const { chromium } = await import('playwright-core');
  if (!existsSync(chromium.executablePath())) {
    say('The tests of the web UI need Chromium; installing it (once)…');
    if (installPackage() && findChromium()) return;
    runTool('playwright-core', ['install', 'chromium']);
  }
  if (existsSync(chromium.executablePath())) process.env.CREWAGENT_CHROMIUM = chromium.executablePath();
  else if (process.env.CI) fail(NOT_FOUND);
  else say(NOT_FOUND);
}

const NOT_FOUND = 'Chromium could not be installed. Install it, or name one in CREWAGENT_CHROMIUM.';

/** With Debian's or Ubuntu's packages, if we are allowed to. */
function installPackage() {
  if (process.getuid?.() !== 0) return false;
  const options = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  const apt = (...args) => spawnSync('apt-get', ['-qq', ...args], options).status === 0;
  const install = ['install', '-y', '--no-install-recommends', 'chromium'];
  return apt(...install) || (apt('update') && apt(...install));
}
