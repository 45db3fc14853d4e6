import { link, mkdir, rename, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { createMountedFs } from '../mounted-fs.ts';
import { createSecretCheck } from './secret-files.ts';

async function openProject(files: Readonly<Record<string, string>>) {
  const project = await tempFolder();
  await writeTree(project, files);
  const mounted = createMountedFs({ project, pkg: undefined, state: undefined }, createSecretCheck());
  const read = (path: string) =>
    mounted
      .withFile({ mount: '@project', segments: path.split('/') }, async ({ handle }) =>
        (await handle.readFile()).toString(),
      )
      .catch((error: Error) => error.message);
  return { project, read, at: (path: string) => join(project, path) };
}

const REFUSED = 'is another name of a secret file, which tools cannot access';

describe('hard links', () => {
  it('[M8] of secret files are refused, and the refusal says why', async () => {
    const { at, read } = await openProject({ 'a/b/.env': 'KEY=1', 'plain.md': 'x', '.ssh/work': 'k' });
    await mkdir(at('docs'));
    await link(at('a/b/.env'), at('docs/notes.md'));
    await link(at('.ssh/work'), at('readme.md'));
    await link(at('plain.md'), at('docs/copy.md'));
    expect(await read('docs/notes.md')).toBe(REFUSED);
    expect(await read('readme.md')).toBe(REFUSED);
    expect(await read('docs/copy.md')).toBe('x');
    expect(await read('plain.md')).toBe('x');
  });

  it('[M8] are noticed when names change later', async () => {
    const { at, read } = await openProject({ 'a/x.md': '1', 'a/.env.example': '2', 'b/y.md': '3' });
    await link(at('a/x.md'), at('b/x.md'));
    expect(await read('b/x.md')).toBe('1');
    // Long ago, so that the names of the folder are remembered.
    await utimes(at('a'), 1, 1);
    expect(await read('b/x.md')).toBe('1');
    expect(await read('b/x.md')).toBe('1');
    await rename(at('a/x.md'), at('a/.env'));
    expect(await read('b/x.md')).toBe(REFUSED);
    await unlink(at('a/.env'));
    expect(await read('b/x.md')).toBe('1');
    await writeFile(at('a/.env'), 'other');
    await link(at('b/x.md'), at('z.md'));
    expect(await read('b/x.md')).toBe('1');
  });

  it('[M8] a private key with a name of its own is refused, a folder of such a name is not', async () => {
    const { read } = await openProject({ id_work: 'k', 'id_tools/a.md': 'x' });
    expect(await read('id_work')).toBe('is a secret file, which tools cannot access');
    expect(await read('id_tools/a.md')).toBe('x');
  });
});
