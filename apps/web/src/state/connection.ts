/**
 * How this page was opened: the server's token, and whether it runs in a browser or in an app window. Both arrive once, in the
 * URL fragment, which is never sent to a server, and are removed from the URL at once. The token is stored for all tabs of this
 * origin, so that a second tab or a bookmark works; the surface is stored for this tab.
 */
import { type PageAccess, parsePageAccess } from '@crewagent/protocol/api/page-address';
import type { TargetSurface } from '@crewagent/protocol/commands';

const TOKEN_KEY = 'crewagent.token';
const SURFACE_KEY = 'crewagent.surface';

type PlainStorage = Pick<Storage, 'getItem' | 'setItem'>;

export interface TokenLocations {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
  readonly localStorage: PlainStorage;
  readonly sessionStorage: PlainStorage;
}

/** Undefined without a token. `isFresh`: the token came from the URL, not from storage. */
export function takeAccess({
  location,
  history,
  localStorage,
  sessionStorage,
}: TokenLocations): (PageAccess & { readonly isFresh: boolean }) | undefined {
  const given = parsePageAccess(location.hash);
  if (given) {
    history.replaceState(history.state, '', `${location.pathname}${location.search}`);
    localStorage.setItem(TOKEN_KEY, given.token);
    sessionStorage.setItem(SURFACE_KEY, given.surface);
    return { ...given, isFresh: true };
  }
  const token = localStorage.getItem(TOKEN_KEY);
  if (!token) return undefined;
  return { token, surface: ownSurface(sessionStorage), isFresh: false };
}

/** Whether the page runs in a browser or in an app window. */
export function ownSurface(storage: Pick<Storage, 'getItem'> = sessionStorage): TargetSurface {
  return storage.getItem(SURFACE_KEY) === 'electron' ? 'electron' : 'web';
}

/**
 * A browser does not reload a page when only the fragment of its URL changes, so a new token needs an explicit reload. A tab
 * that is not signed in (any more) reloads as well when another tab gets a new token.
 */
export function reloadForToken(page: Window, token: string | undefined): void {
  page.addEventListener('hashchange', () => {
    if (parsePageAccess(page.location.hash)) page.location.reload();
  });
  page.addEventListener('storage', ({ key, newValue }) => {
    if (key === TOKEN_KEY && newValue !== null && newValue !== token) page.location.reload();
  });
}
