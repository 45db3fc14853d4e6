import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStoreLayout, defaultStoreRoot } from './layout.ts';

describe('the store', () => {
  const home = join('/home', 'ann');
  const cases: [NodeJS.Platform, NodeJS.ProcessEnv, string][] = [
    ['linux', {}, join(home, '.local', 'share', 'crewagent')],
    ['linux', { XDG_DATA_HOME: '/data' }, join('/data', 'crewagent')],
    ['darwin', {}, join(home, 'Library', 'Application Support', 'CrewAgent')],
    ['win32', { LOCALAPPDATA: '/local' }, join('/local', 'CrewAgent')],
    ['win32', {}, join(home, 'AppData', 'Local', 'CrewAgent')],
    ['linux', { CREWAGENT_HOME: '/mine', XDG_DATA_HOME: '/data' }, '/mine'],
  ];
  it.each(cases)('[C7] is found on %s with %j', (platform, env, expected) => {
    expect(defaultStoreRoot(env, platform, home)).toBe(expected);
  });

  it('[B30] keeps a package under its hash', () => {
    expect(createStoreLayout('/s').packageFolder('abc')).toBe(join('/s', 'packages', 'abc'));
  });
});
