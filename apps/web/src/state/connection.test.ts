import { describe, expect, it } from 'vitest';
import { takeAccess } from './connection.ts';

function createPlaces(hash: string, kept: Record<string, string> = {}) {
  const seen = { path: '', kept };
  return {
    seen,
    location: { hash, pathname: '/start', search: '?a=1' },
    history: {
      state: null,
      replaceState: (_: unknown, __: string, path?: string | URL | null) => {
        seen.path = String(path);
      },
    },
    storage: {
      getItem: (key: string) => seen.kept[key] ?? null,
      setItem: (key: string, value: string) => {
        seen.kept[key] = value;
      },
    },
  };
}

describe('the token', () => {
  it('[U13] comes in the fragment, is taken out of the address and kept for this tab', () => {
    const places = createPlaces('#token=s%2Becret');
    expect(takeAccess(places)).toEqual({ token: 's+ecret', surface: 'web', isFresh: true });
    expect(places.seen).toEqual({
      path: '/start?a=1',
      kept: { 'crewagent.token': 's+ecret', 'crewagent.surface': 'web' },
    });
  });

  it('[U13] is the kept one where the address has none, and the address is left alone', () => {
    const places = createPlaces('#section', { 'crewagent.token': 'kept' });
    expect(takeAccess(places)).toEqual({ token: 'kept', surface: 'web', isFresh: false });
    expect(places.seen.path).toBe('');
    expect(takeAccess(createPlaces(''))).toBeUndefined();
  });

  it('[G4] comes with the surface of a window of our own, which outlives a reload', () => {
    const places = createPlaces('#token=t&surface=electron');
    expect(takeAccess(places)).toMatchObject({ surface: 'electron', isFresh: true });
    places.location.hash = '';
    expect(takeAccess(places)).toEqual({ token: 't', surface: 'electron', isFresh: false });
  });
});
