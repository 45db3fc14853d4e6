/**
 * What a window may do: show the page of one server. Every point follows Electron's security checklist; the page gets no Node,
 * goes nowhere else, opens no window and is granted no permission.
 */
import type { AppWindow, PermissionApi, WebPreferences } from './electron-api.ts';

export function toWebPreferences(preload: string): WebPreferences {
  return {
    preload,
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    // Dictionaries would be downloaded from elsewhere.
    spellcheck: false,
  };
}

export interface WindowGuard {
  /** The origin of the server at this moment: it changes when the server was started anew. */
  readonly origin: () => string;
  readonly openOutside: (url: string) => void;
}

/** Keeps a window at its origin. Addresses of the web open in the browser of the person, all others nowhere. */
export function guardWindow(window: AppWindow, { origin, openOutside }: WindowGuard): void {
  window.onNavigate((event, url) => {
    if (isOfOrigin(url, origin())) return;
    event.preventDefault();
    if (isWebAddress(url)) openOutside(url);
  });
  window.onOpenWindow((url) => {
    if (isWebAddress(url) && !isOfOrigin(url, origin())) openOutside(url);
    return 'deny';
  });
  window.onAttachWebview((event) => event.preventDefault());
}

export function denyPermissions(permissions: PermissionApi): void {
  permissions.setPermissionRequestHandler((allow) => allow(false));
  permissions.setPermissionCheckHandler(() => false);
}

/** Compared as origins: `http://127.0.0.1:40001.example` begins like `http://127.0.0.1:4000`. */
export function isOfOrigin(url: string, origin: string): boolean {
  return URL.canParse(url) && new URL(url).origin === origin;
}

/** What may be handed to the system: it would start any program that is registered for another scheme. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
