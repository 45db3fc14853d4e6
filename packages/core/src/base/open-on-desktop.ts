/**
 * Hands a file or a folder to the person's desktop: to be opened, or shown where it lies. The one place that starts programs
 * of the desktop: by an argument list, never through a shell, and with nothing of our environment but what a desktop needs.
 */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bareEnvironment } from './bare-environment.ts';

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

/** Whether there is a screen that anything could be shown on. */
export function hasDesktop(): boolean {
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  return Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Opens a file with the program the person uses for such files. False where nobody could see it. */
export function openOnDesktop(file: string): boolean {
  if (!hasDesktop()) return false;
  launch(OPENERS[process.platform] ?? LINUX_OPENER, [file]);
  return true;
}

export interface AppWindow {
  /** The program of a Chromium, Chrome or Edge. */
  readonly browser: string;
  /** The page it opens. */
  readonly file: string;
  /** The folder of its profile: nothing of it is shared with the browser that the person uses. */
  readonly profile: string;
}

/** Opens a page in a window without tabs and address bar. False where nobody could see it. */
export function openAppWindow(window: AppWindow): boolean {
  if (!hasDesktop()) return false;
  launch(window.browser, toAppWindowArgs(window));
  return true;
}

export function toAppWindowArgs({ file, profile }: Omit<AppWindow, 'browser'>): readonly string[] {
  return [
    `--app=${pathToFileURL(file).href}`,
    `--user-data-dir=${profile}`,
    // What desktops on Linux tell windows of one program by.
    '--class=crewagent',
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
}

export interface DesktopEntry {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Shows a file or a folder in the file manager; nothing is opened or run. False where nobody could see it. */
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

/** Paths are absolute, so that none is taken for an option. */
export function toReveal({ path, isFolder }: DesktopEntry, platform: NodeJS.Platform): Launch {
  if (platform === 'darwin') return { program: '/usr/bin/open', args: ['-R', path] };
  // The explorer wants its quotes inside the argument; no path of Windows holds one.
  if (platform === 'win32')
    return { program: 'explorer.exe', args: [`/select,"${path.replaceAll('"', '')}"`], isVerbatim: true };
  // Opening a file would run whatever it is for.
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
  // A desktop without such a program shows nothing; nobody waits for it.
  child.on('error', () => undefined);
  child.unref();
}
