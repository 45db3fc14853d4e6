import { describe, expect, it } from 'vitest';
import { findBrowser } from './open-on-desktop.ts';

const only = (path: string) => (asked: string) => asked === path;

describe('the browser for an app window', () => {
  it.each([
    ['linux', '/usr/bin/chromium'],
    ['linux', '/opt/bin/google-chrome'],
    ['linux', '/usr/bin/microsoft-edge'],
    ['darwin', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    ['darwin', '/home/ada/Applications/Chromium.app/Contents/MacOS/Chromium'],
    ['darwin', '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge'],
    ['win32', 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
    ['win32', 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe'],
    ['win32', 'C:\\Users\\ada\\AppData\\Local\\Chromium\\Application\\chrome.exe'],
  ] as const)('[G1] is found on %s at %s', (platform, path) => {
    const env = {
      PATH: '/opt/bin:/usr/bin:/snap/bin',
      ProgramFiles: 'C:\\Program Files',
      'ProgramFiles(x86)': 'C:\\Program Files (x86)',
      LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local',
    };
    expect(findBrowser(env, { platform, home: '/home/ada', exists: only(path) })).toBe(path);
  });

  it('[G1] can be set with CREWAGENT_CHROMIUM, and is never one of the snap store', () => {
    const exists = (path: string) => path.startsWith('/snap/bin');
    expect(findBrowser({ PATH: '/snap/bin' }, { platform: 'linux', exists })).toBeUndefined();
    expect(findBrowser({ CREWAGENT_CHROMIUM: '/x/chrome' }, { exists })).toBe('/x/chrome');
  });
});
