import { describe, expect, it } from 'vitest';
import { takeToken } from './connection.ts';

function createPlaces(hash: string, kept: string | null = null) {
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
      getItem: () => seen.kept,
      setItem: (_: string, value: string) => {
        seen.kept = value;
      },
    },
  };
}

describe('the token', () => {
  it('[U13] comes in the fragment, is taken out of the address and kept for this tab', () => {
    const places = createPlaces('#token=s%2Becret');
    expect(takeToken(places)).toBe('s+ecret');
    expect(places.seen).toEqual({ path: '/start?a=1', kept: 's+ecret' });
  });

  it('[U13] is the kept one where the address has none, and the address is left alone', () => {
    const places = createPlaces('#section', 'kept');
    expect(takeToken(places)).toBe('kept');
    expect(places.seen.path).toBe('');
    expect(takeToken(createPlaces(''))).toBeUndefined();
  });
});
