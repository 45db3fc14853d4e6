import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStoreLayout } from './layout.ts';
import { defaultStoreRoot } from './secure-store-root.ts';

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
  it.each(cases)('is found on %s with %j', (platform, env, expected) => {
    expect(defaultStoreRoot(env, platform, home)).toBe(expected);
  });

  it('[B30] stores a package under its hash', () => {
    expect(createStoreLayout('/s').packageFolder('abc')).toBe(join('/s', 'packages', 'abc'));
  });

  it('[M3] stores a run under its project, with its log outside the state folder that tools can access', () => {
    const [projectId, workId] = [
      '01890a5d-ac96-774b-bcce-b302099a8057',
      '01890a5d-ac96-774b-bcce-b302099a8058',
    ];
    const run = createStoreLayout('/s').work({ projectId, workId, isRun: true });
    const folder = join('/s', 'projects', projectId, 'runs', workId);
    expect(run).toMatchObject({
      folder,
      record: join(folder, 'run.json'),
      stateDocument: join(folder, 'state', 'workflow.md'),
      log: join(folder, 'logs', 'execution.jsonl'),
    });
  });

  it('[A10] rejects an invalid id in a path', () => {
    const store = createStoreLayout('/s');
    const good = '01890a5d-ac96-774b-bcce-b302099a8057';
    for (const bad of ['', '..', '../../etc', `${good}/..`, good.toUpperCase(), `${good}\n`]) {
      expect(() => store.projectFolder(bad)).toThrow('not a valid store id');
      for (const isRun of [true, false])
        expect(() => store.work({ projectId: good, workId: bad, isRun })).toThrow('not a valid store id');
    }
  });
});
