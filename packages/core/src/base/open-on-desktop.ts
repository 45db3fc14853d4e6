/**
 * Opens or reveals a file or folder on the user's desktop. Only this module starts desktop programs: with an argument
 * list, never through a shell, and with a minimal environment.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, posix, win32 } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bareEnvironment } from './bare-environment.ts';

/** Environment variables that desktop programs need; no key is among them. */
const NEEDED = `PATH HOME USER LANG BROWSER DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS
  XDG_RUNTIME_DIR XDG_CURRENT_DESKTOP XDG_SESSION_TYPE XDG_DATA_DIRS XDG_CONFIG_HOME XDG_CONFIG_DIRS USERPROFILE APPDATA LOCALAPPDATA`.split(
  /\s+/,
);

/** Whether there is a screen. */
export function hasDesktop(): boolean {
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Opens a file with the user's default program. Returns false without a desktop. */
export function openOnDesktop(file: string): boolean {
  if (!hasDesktop()) return false;
  launch(OPENERS[process.platform] ?? LINUX_OPENER, [file]);
  return true;
}

/** Opens a web page in the user's browser. Returns false without a desktop. */
export function openUrlOnDesktop(url: string): boolean {
  if (!/^https?:\/\//.test(url)) return false;
  return openOnDesktop(url);
}

interface AppWindow {
  /** Path of Chromium, Chrome or Edge. */
  readonly browser: string;
  /** The page to open. */
  readonly file: string;
  /** Profile folder, separate from the user's own browser profile. */
  readonly profile: string;
}

/** Opens a page in a window without tabs and address bar. Returns false without a desktop. */
export function openAppWindow(window: AppWindow): boolean {
  if (!hasDesktop()) return false;
  launch(window.browser, toAppWindowArgs(window));
  return true;
}

export function toAppWindowArgs({ file, profile }: Omit<AppWindow, 'browser'>): readonly string[] {
  return [
    `--app=${pathToFileURL(file).href}`,
    `--user-data-dir=${profile}`,
    // Linux desktops group windows by class.
    '--class=crewagent',
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
}

interface DesktopEntry {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Shows a file or folder in the file manager without opening it. Returns false without a desktop. */
export function revealOnDesktop(entry: DesktopEntry): boolean {
  if (!hasDesktop()) return false;
  const { program, args, isVerbatim = false } = toReveal(entry, process.platform);
  launch(program, args, isVerbatim);
  return true;
}

const LINUX_OPENER = 'xdg-open';
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/usr/bin/open',
  win32: 'explorer.exe',
};

interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly isVerbatim?: boolean;
}

/** Paths are absolute, so none is mistaken for an option. */
export function toReveal({ path, isFolder }: DesktopEntry, platform: NodeJS.Platform): Launch {
  if (platform === 'darwin') return { program: '/usr/bin/open', args: ['-R', path] };
  // Explorer expects quotes inside the argument; Windows paths contain none.
  if (platform === 'win32')
    return { program: 'explorer.exe', args: [`/select,"${path.replaceAll('"', '')}"`], isVerbatim: true };
  // Opening the file itself would run its default program.
  return { program: LINUX_OPENER, args: [isFolder ? path : dirname(path)] };
}

function launch(program: string, args: readonly string[], isVerbatim = false): void {
  const child = spawn(program, args, {
    env: bareEnvironment(NEEDED),
    stdio: 'ignore',
    detached: true,
    windowsHide: true,
    windowsVerbatimArguments: isVerbatim,
  });
  // Without such a program nothing is shown; failure is ignored.
  child.on('error', () => undefined);
  child.unref();
}

interface BrowserSearch {
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
