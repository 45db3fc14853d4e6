/**
 * The one window: opened where it was, kept at the page of the server, hidden instead of closed, and loaded again where it was
 * when the page crashed.
 */
import { toPageAddress } from '@crewagent/protocol/api/page-address';
import type { WindowRequest } from '@crewagent/protocol/desktop-bridge';
import type { AppWindow, ElectronApi } from './electron-api.ts';
import { guardWindow, isOfOrigin, toWebPreferences } from './secure-window.ts';
import { MIN_SIZE, toOpeningShape, type WindowState, withShape } from './window-state.ts';

export interface WindowStateFile {
  read(): WindowState;
  write(state: WindowState): void;
}

export interface MainWindowOptions {
  readonly api: Pick<ElectronApi, 'createWindow' | 'displays' | 'openOutside'>;
  readonly preload: string;
  readonly states: WindowStateFile;
  /** Of the server at this moment. */
  readonly address: () => { readonly url: string; readonly token: string };
  readonly isQuitting: () => boolean;
  readonly now: () => number;
}

export interface MainWindow {
  readonly isFocused: boolean;
  /** The place that the page is at, such as `/settings`. */
  readonly path: string;
  /** Brings the window to the front. */
  show(): void;
  /** Brings it to the front, at another place of the page. */
  go(path: string): void;
  ask(request: WindowRequest): void;
  /** Loads the page from the server of this moment, at the place where it was. */
  connect(): Promise<void>;
}

export async function openMainWindow(options: MainWindowOptions, path = '/'): Promise<MainWindow> {
  const { api, states, address } = options;
  const { bounds, isMaximized } = toOpeningShape(states.read(), api.displays());
  const window = api.createWindow({
    ...bounds,
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    // Shown when there is something to see.
    show: false,
    title: 'CrewAgent',
    webPreferences: toWebPreferences(options.preload),
  });
  const origin = (): string => new URL(address().url).origin;
  const load = (place: string): Promise<void> => {
    const { url, token } = address();
    return window.load(toPageAddress(`${url}${place}`, { token, surface: 'electron' }));
  };
  const currentPath = (): string =>
    isOfOrigin(window.url(), origin()) ? new URL(window.url()).pathname : '/';
  let lastPath = path;

  guardWindow(window, { origin, openOutside: (url) => void api.openOutside(url) });
  rememberShape(window, options);
  reloadAfterCrash(window, options.now);
  window.onClose((event) => {
    if (options.isQuitting()) return;
    event.preventDefault();
    window.hide();
  });
  await load(path);
  if (isMaximized) window.maximize();
  window.show();
  return {
    get isFocused() {
      return window.isFocused();
    },
    get path() {
      return currentPath();
    },
    show() {
      window.show();
      window.focus();
    },
    go(place) {
      window.send({ kind: 'go', path: place });
      window.show();
      window.focus();
    },
    ask: (request) => window.send(request),
    connect() {
      // At its old address: the origin of the server is another one now.
      const shown = window.url();
      if (URL.canParse(shown)) lastPath = new URL(shown).pathname;
      return load(lastPath);
    },
  };
}

function rememberShape(window: AppWindow, { api, states }: MainWindowOptions): void {
  window.onReshape(() => {
    const shape = { bounds: window.bounds(), isMaximized: window.isMaximized() };
    states.write(withShape(states.read(), api.displays(), shape));
  });
}

const CRASHES = 3;
const WITHIN_MS = 60_000;

/** The address and the token of the tab outlive a reload. A page that crashes again and again is left alone. */
function reloadAfterCrash(window: AppWindow, now: () => number): void {
  let crashes: readonly number[] = [];
  window.onCrash((reason) => {
    if (reason === 'clean-exit') return;
    crashes = [...crashes.filter((time) => now() - time < WITHIN_MS), now()];
    if (crashes.length <= CRASHES) window.reload();
  });
}
