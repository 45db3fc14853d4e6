/**
 * The Chromium (or Chrome, or Edge) of this machine, and what becomes of the tests of the page where there is none.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

/** The headless shell first: without windows to draw it needs a sixth less of the processor. */
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

/** The first of these that exists, where no name is found on the PATH. */
function usualPaths() {
  return [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
    ...playwrightPath(),
  ];
}

/** Where Playwright keeps the browser that it downloads. */
function playwrightPath() {
  try {
    return [createRequire(import.meta.url)('playwright-core').chromium.executablePath()];
  } catch {
    // Not installed, or no browser for this system.
    return [];
  }
}

/** `CREWAGENT_CHROMIUM`, else the first that is found; undefined where there is none. */
export function findChromium(env = process.env, otherPaths = usualPaths) {
  if (env.CREWAGENT_CHROMIUM) return env.CREWAGENT_CHROMIUM;
  const extension = process.platform === 'win32' ? '.exe' : '';
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name + extension)));
  return onPath.find((path) => existsSync(path)) ?? otherPaths().find((path) => existsSync(path));
}

/**
 * What becomes of the tests that need a browser: `run`; `skip` on a person's machine without one; `fail` in CI, which must not
 * pass without them. `sentence` says why they do not run.
 */
export function planPageTests(env = process.env, otherPaths = usualPaths) {
  if (findChromium(env, otherPaths)) return { kind: 'run' };
  if (env.CI) return { kind: 'fail', sentence: `The tests of the page fail in CI: ${NONE_FOUND}` };
  return { kind: 'skip', sentence: `The tests of the page are skipped: ${NONE_FOUND}` };
}

const NONE_FOUND = 'no Chromium was found. Install it, or set CREWAGENT_CHROMIUM to its path.';
