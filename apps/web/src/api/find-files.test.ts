import type { ApiClient } from '@crewagent/protocol/api/client';
import { describe, expect, it } from 'vitest';
import { type FindInMount, findFiles } from './find-files.ts';

const { signal } = new AbortController();
const FILES = ['a.md', 'b.md', 'c.md', 'd.md', 'e.md', 'f.md', 'g.md', 'pkg-notes.md'];

/** A project with some files in its root. */
const client = {
  files: {
    list: () => Promise.resolve({ entries: FILES.map((name) => ({ name, kind: 'file', isIgnored: false })) }),
    find: ({ query }: { query: { text: string } }) =>
      Promise.resolve({
        paths: FILES.filter((name) => name.includes(query.text)).map((name) => `@project/${name}`),
      }),
  },
} as unknown as ApiClient;

const inMount: FindInMount = ({ mount, text }) =>
  Promise.resolve({
    paths: mount === 'pkg' ? ['@pkg/steps/01.md'].filter((path) => path.includes(text)) : [],
  });

const find = (query: string, mounts: FindInMount | undefined = inMount) =>
  findFiles(client, { projectId: 'p', query, signal, ...(mounts ? { inMount: mounts } : {}) });

describe('what fits behind an @', () => {
  it('[U143] is the project first, and mounts that hold something in sight', async () => {
    const all = await find('');
    expect(all.slice(0, 8)).toEqual(['a.md', 'b.md', 'c.md', 'd.md', 'e.md', 'f.md', '@pkg/', 'g.md']);
    expect(all).not.toContain('@state/');
  });

  it('[U143] is a mount whose name is begun, before files that are called alike', async () => {
    expect(await find('pk')).toEqual(['@pkg/', 'pkg-notes.md']);
  });

  it('[U143] is of the mount that is named, and of the project where that is named', async () => {
    expect(await find('pkg/st')).toEqual(['@pkg/steps/01.md']);
    expect(await find('state/')).toEqual([]);
    expect(await find('project/pkg')).toEqual(['pkg-notes.md']);
  });

  it('[U143] is still the project where nothing else can be looked at', async () => {
    const isClosed: FindInMount = () => Promise.reject(new Error('no'));
    expect(await find('a.m', isClosed)).toEqual(['a.md']);
    expect(await find('p', isClosed)).toEqual(['pkg-notes.md']);
    expect(await findFiles(client, { projectId: 'p', query: 'pkg', signal })).toEqual(['pkg-notes.md']);
  });
});
