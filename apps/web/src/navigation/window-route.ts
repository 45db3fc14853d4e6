/**
 * Stores the last route of an app window, so that the next window opens there. A browser tab opens at its URL.
 */
import { parsePath, toPath } from './router.ts';

const KEY = 'crewagent.window-place';

/** Restores the last route if the window was just opened without one, and stores every route from then on. */
export function followWindowRoute(page: Window, { isFresh }: { readonly isFresh: boolean }): void {
  const { location, history, localStorage } = page;
  const last = parsePath(localStorage.getItem(KEY) ?? '/');
  if (isFresh && location.pathname === '/' && last.name !== 'nowhere')
    history.replaceState(history.state, '', toPath(last));
  page.addEventListener('popstate', () => localStorage.setItem(KEY, location.pathname));
}
