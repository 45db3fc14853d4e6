import { describe, expect, it } from 'vitest';
import { takeAccess } from './connection.ts';

function createBrowser(
  hash: string,
  shared: Record<string, string> = {},
  ofTab: Record<string, string> = {},
) {
  const seen = { path: '', shared, ofTab };
  const toStorage = (items: Record<string, string>) => ({
    getItem: (key: string) => items[key] ?? null,
    setItem: (key: string, value: string) => {
      items[key] = value;
    },
  });
  return {
    seen,
    location: { hash, pathname: '/start', search: '?a=1' },
    history: {
      state: null,
      replaceState: (_: unknown, __: string, path?: string | URL | null) => {
        seen.path = String(path);
      },
    },
    localStorage: toStorage(shared),
    sessionStorage: toStorage(ofTab),
  };
}

describe('the token', () => {
  it('[U11] is read from the URL fragment, removed from the URL and stored for all tabs', () => {
    const browser = createBrowser('#token=s%2Becret');
    expect(takeAccess(browser)).toEqual({ token: 's+ecret', surface: 'web', isFresh: true });
    expect(browser.seen).toEqual({
      path: '/start?a=1',
      shared: { 'crewagent.token': 's+ecret' },
      ofTab: { 'crewagent.surface': 'web' },
    });
  });

  it('[U11] comes from storage if the URL has none, and the URL is not changed', () => {
    const browser = createBrowser('#section', { 'crewagent.token': 'stored' });
    expect(takeAccess(browser)).toEqual({ token: 'stored', surface: 'web', isFresh: false });
    expect(browser.seen.path).toBe('');
    expect(takeAccess(createBrowser(''))).toBeUndefined();
  });

  it('[G1] comes with the surface of an app window, which survives a reload', () => {
    const browser = createBrowser('#token=t&surface=electron');
    expect(takeAccess(browser)).toMatchObject({ surface: 'electron', isFresh: true });
    browser.location.hash = '';
    expect(takeAccess(browser)).toEqual({ token: 't', surface: 'electron', isFresh: false });
  });
});
