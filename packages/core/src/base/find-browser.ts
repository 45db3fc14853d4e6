/**
 * Finds a browser that can open an app window, i.e. a page without tabs and address bar: Chrome, Chromium or Edge.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

export interface BrowserSearch {
  readonly platform?: NodeJS.Platform;
  readonly home?: string;
  readonly exists?: (path: string) => boolean;
}

/** `CREWAGENT_CHROMIUM`, otherwise the first one at its usual path; undefined if there is none. */
export function findBrowser(
  env: Readonly<Record<string, string | undefined>>,
  { platform = process.platform, home = homedir(), exists = existsSync }: BrowserSearch = {},
): string | undefined {
  if (env.CREWAGENT_CHROMIUM) return env.CREWAGENT_CHROMIUM;
  return usualPaths(env, platform, home).find(exists);
}

function usualPaths(
  env: Parameters<typeof findBrowser>[0],
  platform: NodeJS.Platform,
  home: string,
): string[] {
  if (platform === 'win32') {
    const roots = [env.ProgramFiles, env['ProgramFiles(x86)'], env.LOCALAPPDATA].filter(isText);
    return WINDOWS.flatMap((program) => roots.map((root) => win32.join(root, program)));
  }
  if (platform === 'darwin') {
    const roots = ['/Applications', posix.join(home, 'Applications')];
    return MAC.flatMap((name) => roots.map((root) => `${root}/${name}.app/Contents/MacOS/${name}`));
  }
  // A snap browser cannot read the profile or the page: both are in a hidden folder of the user's home.
  const folders = (env.PATH ?? '').split(':').filter((folder) => folder !== '' && folder !== '/snap/bin');
  return LINUX.flatMap((name) => folders.map((folder) => posix.join(folder, name)));
}

const LINUX = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'microsoft-edge',
  'microsoft-edge-stable',
];
const MAC = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
const WINDOWS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];

function isText(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
