import type { ApiClient } from '@crewagent/protocol/api/client';
import { describe, expect, it } from 'vitest';
import { type FindInMount, findFiles } from './find-files.ts';

const { signal } = new AbortController();
const FILES = ['a.md', 'b.md', 'c.md', 'd.md', 'e.md', 'f.md', 'g.md', 'pkg-notes.md'];

const inProject = (...names: readonly string[]) => names.map((name) => `@project/${name}`);

/** A project with these files and their folders. */
const serve = (files: readonly string[]) =>
  ({
    files: {
      list: ({ query: { path } }: { query: { path: string } }) => {
        const within = inProject(...files).filter((file) => file.startsWith(`${path}/`));
        const names = within.map((file) => file.slice(path.length + 1).replace(/\/.*/, '/'));
        const entries = [...new Set(names)].map((name) => ({
          name: name.replace('/', ''),
          kind: name.endsWith('/') ? 'folder' : 'file',
          isIgnored: false,
        }));
        return Promise.resolve({ entries });
      },
      find: ({ query: { text } }: { query: { text: string } }) =>
        Promise.resolve({ paths: inProject(...files.filter((name) => name.includes(text))) }),
    },
  }) as unknown as ApiClient;
const client = serve(FILES);

const inMount: FindInMount = ({ mount, text }) =>
  Promise.resolve({
    paths: mount === 'pkg' ? ['@pkg/steps/01.md'].filter((path) => path.includes(text)) : [],
  });

const find = (query: string, mounts: FindInMount | undefined = inMount) =>
  findFiles(client, { projectId: 'p', query, signal, ...(mounts ? { inMount: mounts } : {}) });

describe('completions after @', () => {
  it('[U10] list the project first, with the mounts that are not empty still visible', async () => {
    const all = await find('');
    const first = inProject('a.md', 'b.md', 'c.md', 'd.md', 'e.md', 'f.md');
    expect(all.slice(0, 8)).toEqual([...first, '@pkg/', '@project/g.md']);
    expect(all).not.toContain('@state/');
  });

  it('[U10] list a mount whose name matches before files with similar names', async () => {
    expect(await find('pk')).toEqual(['@pkg/', '@project/pkg-notes.md']);
  });

  it('[U10] search only the mount that was typed, also if it is the project', async () => {
    expect(await find('pkg/st')).toEqual(['@pkg/steps/01.md']);
    expect(await find('state/')).toEqual([]);
    expect(await find('project/pkg')).toEqual(['@project/pkg-notes.md']);
  });

  it('[U10] still list the project if no other mount can be read', async () => {
    const isClosed: FindInMount = () => Promise.reject(new Error('no'));
    expect(await find('a.m', isClosed)).toEqual(['@project/a.md']);
    expect(await find('p', isClosed)).toEqual(['@project/pkg-notes.md']);
    expect(await findFiles(client, { projectId: 'p', query: 'pkg', signal })).toEqual([
      '@project/pkg-notes.md',
    ]);
  });

  it('[U10] prefix project paths that look like mounts with their mount', async () => {
    const odd = serve(['@notes.md', '@pkg/a.md', 'pkg/b.md', 'project/c.md']);
    const findOdd = (query: string) => findFiles(odd, { projectId: 'p', query, signal, inMount });
    expect(await findOdd('')).toEqual([...inProject('@notes.md', '@pkg/', 'pkg/', 'project/'), '@pkg/']);
    expect(await findOdd('@no')).toEqual(['@project/@notes.md']);
    expect(await findOdd('project/@pkg/')).toEqual(['@project/@pkg/a.md']);
    expect(await findOdd('project/pkg/')).toEqual(['@project/pkg/b.md']);
    expect(await findOdd('project/project/')).toEqual(['@project/project/c.md']);
  });
});
