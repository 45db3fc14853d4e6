/**
 * How this page was opened: the token of the server, and whether the page is in a browser or in a window of our own. Both come
 * once, in the fragment of the address, which is never sent anywhere; they are taken out of the address at once and kept for
 * this tab alone.
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

/** Undefined without a token. `isFresh`: it came with the address, and is not from before a reload. */
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

/** Whether the page is in a browser or in a window of our own. */
export function ownSurface(storage: Pick<Storage, 'getItem'> = sessionStorage): TargetSurface {
  return storage.getItem(SURFACE_KEY) === 'electron' ? 'electron' : 'web';
}

/** An address that differs in its token alone is no other page to a browser: it is loaded again by hand. */
export function reloadForToken(page: Window): void {
  page.addEventListener('hashchange', () => {
    if (parsePageAccess(page.location.hash)) page.location.reload();
  });
}
