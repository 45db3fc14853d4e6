/**
 * Opens a page in the person's browser, if there is a screen to show it on. What is opened is a file: names of files are
 * in the list of processes for all to see, what they hold is not.
 */
import { spawn } from 'node:child_process';
import { bareEnvironment } from '@crewagent/core';

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/usr/bin/open',
  win32: 'explorer.exe',
};

/** What a desktop needs to be found; no key is among it. */
const NEEDED = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'BROWSER',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'XDG_CURRENT_DESKTOP',
  'XDG_SESSION_TYPE',
  'XDG_DATA_DIRS',
  'XDG_CONFIG_HOME',
  'XDG_CONFIG_DIRS',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
];

/** False where nobody could see it. */
export function openBrowser(file: string): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  const opener = OPENERS[process.platform] ?? (DISPLAY || WAYLAND_DISPLAY ? 'xdg-open' : undefined);
  if (opener === undefined) return false;
  const child = spawn(opener, [file], {
    env: bareEnvironment(NEEDED),
    stdio: 'ignore',
    detached: true,
    windowsHide: true,
  });
  // The address was printed; whoever has no browser reads it there.
  child.on('error', () => undefined);
  child.unref();
  return true;
}
