import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePath, toPath } from './router.ts';

describe('addresses', () => {
  it.each([
    ['/', { name: 'start' }],
    ['/start', { name: 'start' }],
    ['/packages', { name: 'packages' }],
    ['/p/a%2Fb/w/d', { name: 'work', projectId: 'a/b', workId: 'd' }],
    ['/p/a%2Fb/c/d', { name: 'work', projectId: 'a/b', workId: 'd' }],
    ['/packages/abc', { name: 'packages', hash: 'abc' }],
    ['/settings/model', { name: 'settings', section: 'model' }],
    ['/settings/model/new', { name: 'settings', section: 'model', isNew: true }],
    ['/p/a/r/b', { name: 'work', projectId: 'a', workId: 'b' }],
    ['/p/a', { name: 'project', projectId: 'a' }],
    ['/p/a/new/b', { name: 'project', projectId: 'a', packageHash: 'b' }],
    ['/p/%E0%A4%A', { name: 'nowhere', path: '/p/%E0%A4%A' }],
    ['/p/a/w', { name: 'nowhere', path: '/p/a/w' }],
    ['/start/here', { name: 'nowhere', path: '/start/here' }],
    ['/elsewhere', { name: 'nowhere', path: '/elsewhere' }],
  ] as const)('[U11] %s', (path, route) => {
    expect(parsePath(path)).toEqual(route);
    expect(parsePath(toPath(route))).toEqual(route);
  });

  it('[U11] round-trip for any id', () => {
    const id = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(id, id, (projectId, workId) => {
        const route = { name: 'work', projectId, workId } as const;
        expect(parsePath(toPath(route))).toEqual(route);
        const editor = { name: 'packages', folder: `/${projectId}/${workId}` } as const;
        expect(parsePath(toPath(editor))).toEqual(editor);
      }),
    );
  });

  it('of a folder that is edited can be loaded again: a server refuses encoded slashes', () => {
    for (const folder of ['/home/a~b/my package', 'C:\\Users\\me\\100 %'])
      expect(toPath({ name: 'packages', folder })).toMatch(/^\/packages\/edit\/[\w~.-]+$/);
  });
});
