/**
 * Finds the Chromium (or Chrome, or Edge) of this machine, and decides whether the tests of the page run without one.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

/** The headless shell first: it needs a sixth less CPU time. */
const NAMES = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'msedge',
];

/** Checked if none is on the PATH. */
function usualPaths() {
  return [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
    ...playwrightPath(),
  ];
}

/** Path of the browser that Playwright downloads. */
function playwrightPath() {
  try {
    return [createRequire(import.meta.url)('playwright-core').chromium.executablePath()];
  } catch {
    // Not installed, or no browser for this system.
    return [];
  }
}

/** `CREWAGENT_CHROMIUM`, or else the first one found; undefined if there is none. */
export function findChromium(env = process.env, otherPaths = usualPaths) {
  if (env.CREWAGENT_CHROMIUM) return env.CREWAGENT_CHROMIUM;
  const extension = process.platform === 'win32' ? '.exe' : '';
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name + extension)));
  return onPath.find((path) => existsSync(path)) ?? otherPaths().find((path) => existsSync(path));
}

/**
 * Whether the tests that need a browser `run`; `skip` without a browser on a developer's machine; `fail` in CI, which must not
 * pass without them. `sentence` is the reason.
 */
export function planPageTests(env = process.env, otherPaths = usualPaths) {
  if (findChromium(env, otherPaths)) return { kind: 'run' };
  if (env.CI) return { kind: 'fail', sentence: `The tests of the page fail in CI: ${NONE_FOUND}` };
  return { kind: 'skip', sentence: `The tests of the page are skipped: ${NONE_FOUND}` };
}

const NONE_FOUND = 'no Chromium was found. Install it, or set CREWAGENT_CHROMIUM to its path.';
