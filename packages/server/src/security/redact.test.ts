import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeTree } from '../../../core/src/testing/file-tree.ts';
import { tempFolder } from '../../../core/src/testing/temp-folder.ts';
import { createServerRig, startTestServer } from '../testing/server-rig.ts';
import { createRedactor } from './redact.ts';

/** The text of a response as the server serializes it. */
const json = (text: string): string => JSON.stringify({ message: text });

describe('the path of the store', () => {
  it('[H7] is replaced by "(store)", with everything below it', async () => {
    const root = await tempFolder();
    const redact = createRedactor(join(root, 'store'));
    expect(redact(json(`${join(root, 'store', 'runs', 'a.json')} is damaged`))).toBe(
      json(`${join('(store)', 'runs', 'a.json')} is damaged`),
    );
    for (const end of ['', '.', ': no space left', '"', "'", ', and more'])
      expect(redact(json(`at ${join(root, 'store')}${end}`))).toBe(json(`at (store)${end}`));
  });

  it('[H7] is replaced under both names of a store behind a symbolic link', async () => {
    const root = await tempFolder();
    await mkdir(join(root, 'disk', 'data'), { recursive: true });
    await symlink(join(root, 'disk', 'data'), join(root, 'store'), 'junction');
    const redact = createRedactor(join(root, 'store'));
    for (const path of [join(root, 'store'), join(root, 'disk', 'data')])
      expect(redact(json(join(path, 'a')))).toBe(json(join('(store)', 'a')));
  });

  it('[H7] is replaced as a whole if the link lies in the folder it points to', async () => {
    const root = await tempFolder();
    await symlink(root, join(root, 'store'), 'junction');
    expect(createRedactor(join(root, 'store'))(json(join(root, 'store', 'a')))).toBe(
      json(join('(store)', 'a')),
    );
  });

  it('[H7] is in no response of a server whose store is behind a symbolic link', async () => {
    const root = await tempFolder();
    await mkdir(join(root, 'disk', 'data'), { recursive: true });
    await symlink(join(root, 'disk', 'data'), join(root, 'store'), 'junction');
    const { url, token } = await startTestServer({ storeRoot: join(root, 'store') });
    await writeTree(join(root, 'disk', 'data'), { 'settings.json': '{"limits": 5}', 'projects.json': '{' });
    for (const path of ['settings', 'projects', 'models', 'runs', 'packages', 'diagnostics']) {
      const response = await fetch(`${url}/api/v1/${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(await response.text()).not.toContain(root);
    }
  });

  it('[H7] does not match longer paths that begin or end with it', async () => {
    const { call, client, root } = await createServerRig();
    const elsewhere = join(root, 'backup', root, 'store', 'notes');
    for (const path of [
      join(root, 'store-notes'),
      join(root, 'store2'),
      join(root, 'store.bak'),
      elsewhere,
    ]) {
      await mkdir(path, { recursive: true });
      await client.projects.open({ body: { path } });
      expect(await (await call('/api/v1/projects')).text()).toContain(JSON.stringify(path));
    }
  });

  it('[H7] is never left in a text, whatever surrounds it', async () => {
    const root = await tempFolder();
    const folder = join(root, 'st.o+r(e) "quoted" \\back');
    await mkdir(folder);
    const redact = createRedactor(folder);
    const around = fc.string({
      unit: fc.constantFrom(' ', '/', '"', "'", '\\', '\n', '\t', '\u001b', ':', ',', '(', ')'),
    });
    fc.assert(
      fc.property(around, around, (before, after) => {
        expect(redact(json(`${before}${folder}${after}`))).toBe(json(`${before}(store)${after}`));
      }),
    );
  });

  it('[H7] is replaced before the folder exists', async () => {
    const root = await tempFolder();
    const redact = createRedactor(join(root, 'later'));
    await rename(await tempFolder(), join(root, 'later'));
    expect(redact(json(join(root, 'later')))).toBe(json('(store)'));
  });

  it('[H7] is not replaced if the store is the root of the disk', () => {
    expect(createRedactor('/')(json('/home/a and /'))).toBe(json('/home/a and /'));
  });
});
