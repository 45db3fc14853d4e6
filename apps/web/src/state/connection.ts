/**
 * How this page was opened: the server's token, and whether it runs in a browser or in an app window. Both arrive once, in the
 * URL fragment, which is never sent to a server. They are removed from the URL at once and stored in the session storage of
 * this tab.
 */
import { type PageAccess, parsePageAccess } from '@crewagent/protocol/api/page-address';
import type { TargetSurface } from '@crewagent/protocol/commands';

const TOKEN_KEY = 'crewagent.token';
const SURFACE_KEY = 'crewagent.surface';

export interface TokenLocations {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
}

/** Undefined without a token. `isFresh`: the token came from the URL, not from session storage. */
export function takeAccess({
  location,
  history,
  storage,
}: TokenLocations): (PageAccess & { readonly isFresh: boolean }) | undefined {
  const given = parsePageAccess(location.hash);
  if (given) {
    history.replaceState(history.state, '', `${location.pathname}${location.search}`);
    storage.setItem(TOKEN_KEY, given.token);
    storage.setItem(SURFACE_KEY, given.surface);
    return { ...given, isFresh: true };
  }
  const token = storage.getItem(TOKEN_KEY);
  if (!token) return undefined;
  return { token, surface: ownSurface(storage), isFresh: false };
}

/** Whether the page runs in a browser or in an app window. */
export function ownSurface(storage: Pick<Storage, 'getItem'> = sessionStorage): TargetSurface {
  return storage.getItem(SURFACE_KEY) === 'electron' ? 'electron' : 'web';
}

/** A browser does not reload a page when only the fragment of its URL changes, so a new token needs an explicit reload. */
export function reloadForToken(page: Window): void {
  page.addEventListener('hashchange', () => {
    if (parsePageAccess(page.location.hash)) page.location.reload();
  });
}
