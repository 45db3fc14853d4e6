/** Restricts a window to the page of one server: no navigation elsewhere, no new windows, no permissions. */
import type { AppWindow, PermissionApi } from './electron-api.ts';

export interface WindowGuard {
  /** The origin of the current server; it changes after a restart. */
  readonly origin: () => string;
  readonly openOutside: (url: string) => void;
}

/** Keeps a window at its origin. Web URLs open in the person's browser, all others are blocked. */
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

/** Compares origins, not prefixes: `http://127.0.0.1:40001.example` starts with `http://127.0.0.1:4000`. */
export function isOfOrigin(url: string, origin: string): boolean {
  return URL.canParse(url) && new URL(url).origin === origin;
}

/** Only these URLs are passed to the system, which would start any program registered for another scheme. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
