import { describe, expect, it } from 'vitest';
import { followWindowRoute } from './window-route.ts';

const WORK = '/p/11111111-1111-4111-8111-111111111111/w/22222222-2222-4222-8222-222222222222';

/** Opens a window on a profile; `go` simulates a navigation. */
function openWindow(stored: Map<string, string>, pathname = '/', isFresh = true) {
  const listeners: (() => void)[] = [];
  const location = { pathname };
  const page = {
    location,
    history: {
      state: null,
      replaceState: (_: unknown, __: string, path: string) => {
        location.pathname = path;
      },
    },
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
    addEventListener: (_: string, listener: () => void) => listeners.push(listener),
  };
  followWindowRoute(page as unknown as Window, { isFresh });
  const go = (path: string): void => {
    location.pathname = path;
    for (const listener of listeners) listener();
  };
  return { location, go };
}

describe('a window that is opened again', () => {
  it('[G1] starts at the last route', () => {
    const stored = new Map<string, string>();
    expect(openWindow(stored).location.pathname).toBe('/start');
    openWindow(stored).go(WORK);
    expect(openWindow(stored).location.pathname).toBe(WORK);
  });

  it('[G1] prefers the route of its URL, and a reload keeps the route', () => {
    const stored = new Map<string, string>();
    openWindow(stored).go(WORK);
    expect(openWindow(stored, '/settings').location.pathname).toBe('/settings');
    expect(openWindow(stored, '/', false).location.pathname).toBe('/');
  });

  it.each(['/nowhere/at/all', '//elsewhere.example/p/x', '%', 'https://elsewhere.example'])(
    '[G1] ignores a stored path that is not a route of the page: %s',
    (path) => {
      expect(openWindow(new Map([['crewagent.window-place', path]])).location.pathname).toMatch(/^\/$/);
    },
  );
});
