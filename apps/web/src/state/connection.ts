/**
 * The token of the server. It comes once, in the fragment of the address, which is never sent anywhere; it is taken out of the
 * address at once and kept for this tab alone.
 */
const KEY = 'crewagent.token';

export interface TokenPlaces {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
}

export function takeToken({ location, history, storage }: TokenPlaces): string | undefined {
  const given = givenToken(location);
  if (given) {
    history.replaceState(history.state, '', `${location.pathname}${location.search}`);
    storage.setItem(KEY, given);
  }
  return given || storage.getItem(KEY) || undefined;
}

/** An address that differs in its token alone is no other page to a browser: it is loaded again by hand. */
export function reloadForToken(page: Window): void {
  page.addEventListener('hashchange', () => {
    if (givenToken(page.location)) page.location.reload();
  });
}

function givenToken({ hash }: Pick<Location, 'hash'>): string | null {
  return new URLSearchParams(hash.slice(1)).get('token');
}
