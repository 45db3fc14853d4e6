import { describe, expect, it } from 'vitest';
import { followWindowRoute } from './window-route.ts';

const WORK = '/p/11111111-1111-4111-8111-111111111111/w/22222222-2222-4222-8222-222222222222';

/** A window on a profile; `go` is what a click on the page does. */
function openWindow(kept: Map<string, string>, pathname = '/', isFresh = true) {
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
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
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
  it('[G3] begins where the last one was', () => {
    const kept = new Map<string, string>();
    expect(openWindow(kept).location.pathname).toBe('/start');
    openWindow(kept).go(WORK);
    expect(openWindow(kept).location.pathname).toBe(WORK);
  });

  it('[G3] goes where its address says, and a reload stays where it is', () => {
    const kept = new Map<string, string>();
    openWindow(kept).go(WORK);
    expect(openWindow(kept, '/settings').location.pathname).toBe('/settings');
    expect(openWindow(kept, '/', false).location.pathname).toBe('/');
  });

  it.each(['/nowhere/at/all', '//elsewhere.example/p/x', '%', 'https://elsewhere.example'])(
    '[G3] does not follow a kept place that is none of the page: %s',
    (path) => {
      expect(openWindow(new Map([['crewagent.window-place', path]])).location.pathname).toMatch(/^\/$/);
    },
  );
});
