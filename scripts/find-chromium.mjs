/**
 * The Chromium (or Chrome, or Edge) of this machine, for tests of the web UI. Never downloads one.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

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
