/**
 * Where a person was in a window of our own when it was closed: the next window begins there. A tab of a browser begins where
 * its address says.
 */
import { parsePath, toPath } from './router.ts';

const KEY = 'crewagent.window-place';

/** Goes to the last place if the window was just opened without one, and notes every place from then on. */
export function followWindowRoute(page: Window, { isFresh }: { readonly isFresh: boolean }): void {
  const { location, history, localStorage } = page;
  const last = parsePath(localStorage.getItem(KEY) ?? '/');
  if (isFresh && location.pathname === '/' && last.name !== 'nowhere')
    history.replaceState(history.state, '', toPath(last));
  page.addEventListener('popstate', () => localStorage.setItem(KEY, location.pathname));
}
