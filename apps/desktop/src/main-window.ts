/**
 * The main window: opened at its last position, restricted to the server's page, hidden instead of closed, and reloaded at the
 * same view after a crash.
 */
import { toPageAddress } from '@crewagent/protocol/api/page-address';
import type { WindowRequest } from '@crewagent/protocol/desktop-bridge';
import type { AppWindow, ElectronApi } from './electron-api.ts';
import { guardWindow, isOfOrigin } from './secure-window.ts';
import { toWebPreferences } from './web-preferences.ts';
import { MIN_SIZE, toOpeningShape, type WindowStateFile, withShape } from './window-state.ts';

export interface MainWindowOptions {
  readonly api: Pick<ElectronApi, 'createWindow' | 'displays' | 'openOutside'>;
  readonly preload: string;
  readonly states: WindowStateFile;
  /** Address of the current server. */
  readonly address: () => { readonly url: string; readonly token: string };
  readonly isQuitting: () => boolean;
  readonly now: () => number;
}

export async function openMainWindow(options: MainWindowOptions) {
  const { api, states, address } = options;
  const { bounds, isMaximized } = toOpeningShape(states.read(), api.displays());
  const window = api.createWindow({
    ...bounds,
    minWidth: MIN_SIZE.width,
    minHeight: MIN_SIZE.height,
    // Shown after the page is loaded.
    show: false,
    title: 'CrewAgent',
    webPreferences: toWebPreferences(options.preload),
  });
  const origin = (): string => new URL(address().url).origin;
  const load = (target: string): Promise<void> => {
    const { url, token } = address();
    return window.load(toPageAddress(`${url}${target}`, { token, surface: 'electron' }));
  };
  const show = (): void => {
    window.show();
    window.focus();
  };
  let lastPath = '/';

  guardWindow(window, { origin, openOutside: (url) => void api.openOutside(url) });
  saveShape(window, options);
  reloadAfterCrash(window, options.now);
  window.onClose((event) => {
    if (options.isQuitting()) return;
    event.preventDefault();
    window.hide();
  });
  await load(lastPath);
  if (isMaximized) window.maximize();
  window.show();
  return {
    get isFocused() {
      return window.isFocused();
    },
    /** The path of the page, such as `/settings`. */
    get path() {
      return isOfOrigin(window.url(), origin()) ? new URL(window.url()).pathname : '/';
    },
    /** Brings the window to the front. */
    show,
    /** Brings the window to the front and navigates to a path of the page. */
    go(path: string): void {
      window.send({ kind: 'go', path });
      show();
    },
    ask: (request: WindowRequest) => window.send(request),
    /** Loads the page from the current server, at the same path. */
    connect(): Promise<void> {
      // The window still shows the old URL, whose origin differs from that of the new server.
      const shown = window.url();
      if (URL.canParse(shown)) lastPath = new URL(shown).pathname;
      return load(lastPath);
    },
  };
}

function saveShape(window: AppWindow, { api, states }: MainWindowOptions): void {
  window.onReshape(() => {
    const shape = { bounds: window.bounds(), isMaximized: window.isMaximized() };
    states.write(withShape(states.read(), api.displays(), shape));
  });
}

const MAX_RELOADS = 3;
const CRASH_WINDOW_MS = 60_000;

/** The URL and the tab's token survive a reload. A page that crashes repeatedly is not reloaded. */
function reloadAfterCrash(window: AppWindow, now: () => number): void {
  let crashes: readonly number[] = [];
  window.onCrash((reason) => {
    if (reason === 'clean-exit') return;
    crashes = [...crashes.filter((time) => now() - time < CRASH_WINDOW_MS), now()];
    if (crashes.length <= MAX_RELOADS) window.reload();
  });
}
