import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMountedFs, type MountedFs } from '../../mounts/mounted-fs.ts';
import { findRunner } from '../../mounts/sensitive/runs-later.ts';
import { createSecretCheck } from '../../mounts/sensitive/secret-files.ts';
import { openJournal } from '../../store/work-files/journal.ts';
import { driverPath } from '../../testing/driver-path.ts';
import { killCount } from '../../testing/kill-points.ts';
import { codeOf, createToolRig } from '../../testing/rigs/tool-rig.ts';
import { readTree, tempFolder, writeTree } from '../../testing/temp-folder.ts';
import { commitFiles, toFileFact } from './commit-files.ts';
import type { CurrentFile } from './write-request.ts';

const FILES = { 'a.txt': 'one\n', 'src/b.txt': 'two\n', 'c.txt': 'three\n' };
/** With its folder. */
const TREE = { ...FILES, 'src/': '' };
const PATCHES = [
  { path: 'a.txt', find: 'one', replace: '1' },
  { path: 'src/b.txt', diff: '@@ -1 +1 @@\n-two\n+2\n' },
  { path: 'a.txt', operation: 'replace', find: '1', replace: 'I' },
];

describe('a patch of several files', () => {
  it('[T194] changes all of them with one result, in the order of its patches', async () => {
    const { call, project, facts } = await createToolRig({ project: FILES });
    const result = await call('fs.apply_patch', { patches: PATCHES });
    expect(result).toMatchObject({
      ok: true,
      files: [
        {
          path: '@project/a.txt',
          sha256Before: expect.any(String) as string,
          diff: expect.stringContaining('+I') as string,
        },
        {
          path: '@project/src/b.txt',
          sha256After: expect.any(String) as string,
          diff: expect.stringContaining('+2') as string,
        },
      ],
    });
    expect(await readTree(project)).toEqual({ ...TREE, 'a.txt': 'I\n', 'src/b.txt': '2\n' });
    expect(facts.at(-1)).toMatchObject({
      effect: {
        kind: 'patched',
        path: '@project/a.txt',
        also: ['@project/src/b.txt'],
        lines: { added: 2, removed: 2 },
      },
    });
  });

  it('[T194] may be one diff of several files, which creates some of them', async () => {
    const { call, project } = await createToolRig({ project: FILES });
    const diff = `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n--- /dev/null\n+++ b/artifacts/new.md\n@@ -0,0 +1 @@\n+new\n`;
    expect(codeOf(await call('fs.apply_patch', { diff }))).toBe('ok');
    expect(await readTree(project)).toMatchObject({ ...TREE, 'a.txt': '1\n', 'artifacts/new.md': 'new\n' });
    const envelope =
      '*** Begin Patch\n*** Update File: a.txt\n@@\n-1\n+I\n*** Add File: d.txt\n+d\n*** End Patch\n';
    expect(codeOf(await call('fs.apply_patch', { patches: [{ diff: envelope }] }))).toBe('ok');
    expect(await readTree(project)).toMatchObject({ 'a.txt': 'I\n', 'd.txt': 'd\n' });
  });

  it.each([
    ['does not fit', { path: 'c.txt', find: 'nothing', replace: '' }, 'E_PATCH_FAILED', 'c.txt'],
    ['is of no file', { path: 'none.txt', find: 'x', replace: '' }, 'ENOENT', 'none.txt'],
    [
      'has an outdated hash',
      { path: 'c.txt', find: 'three', replace: '3', ifMatchSha256: '0' },
      'E_PRECONDITION_FAILED',
      'c.txt',
    ],
    ['leaves the project', { path: '../c.txt', find: 'three', replace: '3' }, 'E_SANDBOX_VIOLATION', '..'],
    [
      'is of the state document',
      { path: '@state/workflow.md', find: 'Body', replace: 'x' },
      'TOOL_ARGS_INVALID',
      'a call of its own',
    ],
    [
      'is of a file that runs later',
      { path: 'Makefile', find: 'all', replace: 'x' },
      'TOOL_ARGS_INVALID',
      'approval of its own',
    ],
    [
      'leads to the same file',
      { path: 'link.txt', find: 'one', replace: 'x' },
      'TOOL_ARGS_INVALID',
      'two paths lead to "@project/a.txt"',
    ],
    [
      'deletes a file',
      { diff: '--- a/c.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-three\n' },
      'E_PATCH_FAILED',
      'cannot delete',
    ],
    ['does not say of which file', { find: 'three', replace: '3' }, 'TOOL_ARGS_INVALID', 'which file'],
  ])('[T194] changes none if one %s', async (_, patch, code, message) => {
    const { call, project } = await createToolRig({ project: { ...FILES, Makefile: 'all:\n' } });
    await symlink('a.txt', join(project, 'link.txt'));
    const result = await call('fs.apply_patch', { patches: [...PATCHES, patch] });
    expect(codeOf(result)).toBe(code);
    expect(result).toMatchObject({ error: { message: expect.stringContaining(message) as string } });
    expect(await readTree(project)).toMatchObject(FILES);
  });

  it('[T194] is approved at once, for exactly these changes, and not by consent to one of the files', async () => {
    const { outcome, project } = await createToolRig({ project: FILES, policy: { approval: 'ask' } });
    const isGranted = (_: string, target: string): boolean => target === '@project/a.txt';
    const asked = await outcome('fs.apply_patch', { patches: PATCHES }, { isGranted });
    if (asked.kind !== 'approval') throw new Error(`unexpected ${asked.kind}`);
    expect(asked.action).toMatchObject({
      title: 'fs.apply_patch wants to change 2 files',
      target: '@project/a.txt',
    });
    const preview = asked.action.preview.text;
    expect(preview).toMatch(/@project\/a\.txt[\s\S]*\+I\n[\s\S]*@project\/src\/b\.txt[\s\S]*\+2\n/);
    await writeFile(join(project, 'src/b.txt'), 'two\nmore\n');
    expect(
      (
        await outcome(
          'fs.apply_patch',
          { patches: PATCHES },
          { approval: { isGranted: true, action: asked.action } },
        )
      ).kind,
    ).toBe('approval');
    await writeFile(join(project, 'src/b.txt'), 'two\n');
    expect(
      (
        await outcome(
          'fs.apply_patch',
          { patches: PATCHES },
          { approval: { isGranted: true, action: asked.action } },
        )
      ).kind,
    ).toBe('done');
    expect(await readFile(join(project, 'src/b.txt'), 'utf8')).toBe('2\n');
    const again = PATCHES.map((patch) => ({ ...patch, find: 'I', replace: 'x' })).slice(0, 1);
    const both = { patches: [...again, { path: 'src/b.txt', find: '2', replace: 'x' }] };
    expect((await outcome('fs.apply_patch', both, { isGranted: () => true })).kind).toBe('done');
  });

  it('[T194] asks for none of its files if all are artifacts', async () => {
    const { outcome } = await createToolRig({
      project: { 'artifacts/a.md': 'a', 'artifacts/b.md': 'b' },
      policy: { approval: 'ask' },
    });
    const patches = ['a', 'b'].map((name) => ({ path: `artifacts/${name}.md`, find: name, replace: 'x' }));
    expect(await outcome('fs.apply_patch', { patches })).toMatchObject({
      kind: 'done',
      result: { ok: true },
    });
  });

  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    '[T194] is rolled back if a file cannot be written',
    async () => {
      const { call, project } = await createToolRig({ project: FILES });
      await chmod(join(project, 'src'), 0o500);
      expect(codeOf(await call('fs.apply_patch', { patches: PATCHES }))).not.toBe('ok');
      await chmod(join(project, 'src'), 0o700);
      expect(await readTree(project)).toEqual(TREE);
    },
  );
});

describe('the files of one call', () => {
  const NAMES = Object.keys(FILES);

  interface Rig {
    readonly project: string;
    readonly files: MountedFs;
    open(files: MountedFs, warn?: (message: string) => void): ReturnType<typeof openJournal>;
  }

  async function createRig(): Promise<Rig> {
    const root = await tempFolder();
    const project = join(root, 'project');
    await mkdir(project);
    await writeTree(project, FILES);
    const files = createMountedFs({ project, pkg: root, state: root }, createSecretCheck());
    const open: Rig['open'] = (mounted, warn = () => undefined) =>
      openJournal({
        folder: join(root, 'journal'),
        files: mounted,
        clock: () => new Date(),
        warn,
      });
    return { project, files, open };
  }

  /** Fails at a replacement, or never ends it. */
  function breakAt(
    files: MountedFs,
    number: number,
    how: 'fails' | 'dies',
    isLate: boolean,
  ): { files: MountedFs; died: Promise<void> } {
    let count = 0;
    let die: () => void = () => undefined;
    const died = new Promise<void>((resolve) => {
      die = resolve;
    });
    const replace: MountedFs['replace'] = async (path, content, options) => {
      const isBroken = count++ === number;
      if (!isBroken) return files.replace(path, content, options);
      if (isLate) await files.replace(path, content, options);
      if (how === 'fails') throw Object.assign(new Error('EIO'), { code: 'EIO' });
      die();
      return new Promise(() => undefined);
    };
    return { files: { ...files, replace }, died };
  }

  async function changesOf(files: MountedFs) {
    return Promise.all(
      [...NAMES, 'new/d.txt'].map(async (name) => {
        const path = { mount: '@project', segments: name.split('/') } as const;
        const current = NAMES.includes(name)
          ? await files.withFile(
              path,
              async ({ handle, mode, identity }): Promise<CurrentFile> => ({
                bytes: await handle.readFile(),
                sha256: '',
                mode,
                identity,
              }),
            )
          : undefined;
        const content = Buffer.from(`new ${name}`);
        const fact = toFileFact({ path, file: current, content }, { files, findRunner });
        return { path, callId: 'call', current, content, fact };
      }),
    );
  }

  const rest = { gate: undefined, findRunner, artifactsDir: 'artifacts', onFact: () => undefined };

  it.each([0, 1, 2, 3])('[T194] are all restored if the replacement of number %i fails', async (number) => {
    const rig = await createRig();
    const broken = breakAt(rig.files, number, 'fails', false);
    const journal = await rig.open(rig.files);
    const committed = await commitFiles(await changesOf(rig.files), {
      files: broken.files,
      recorder: journal,
      ...rest,
    });
    expect(committed).toMatchObject({ ok: false, error: { code: 'EIO' } });
    expect(await readTree(rig.project)).toEqual(TREE);
    expect(journal.list()).toEqual([]);
  });

  it.each([0, 1, 2, 3].flatMap((number) => [[number, false] as const, [number, true] as const]))(
    '[T194] are all changed or none when the process dies at number %i (after it: %s) and starts again',
    async (number, isLate) => {
      const rig = await createRig();
      const broken = breakAt(rig.files, number, 'dies', isLate);
      const journal = await rig.open(rig.files);
      const warnings: string[] = [];
      void commitFiles(await changesOf(rig.files), { files: broken.files, recorder: journal, ...rest });
      await broken.died;
      const again = await rig.open(rig.files, (message) => warnings.push(message));
      const isWhole = number === 3 && isLate;
      expect(warnings).toHaveLength(isWhole || (number === 0 && !isLate) ? 0 : 1);
      const changed = Object.fromEntries([...NAMES, 'new/d.txt'].map((name) => [name, `new ${name}`]));
      expect(await readTree(rig.project)).toEqual(isWhole ? { ...changed, 'src/': '', 'new/': '' } : TREE);
      // And undone together.
      await again.undo({ callId: 'call' });
      expect(await readTree(rig.project)).toEqual(TREE);
    },
  );

  it('[T194] are all changed or none after a kill at any moment', async () => {
    const root = await tempFolder();
    const names = Array.from({ length: 4 }, (_, index) => `folder ${index}/file.txt`);
    await writeTree(join(root, 'project'), Object.fromEntries(names.map((name) => [name, 'number 1\n'])));
    for (let kill = 0; kill < killCount(9); kill++) {
      const child = spawn(process.execPath, [driverPath('patch-many'), root, ...names], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(child, 'exit');
      for (let calls = 0; calls < 2; calls++) await once(child.stdout, 'data');
      // During the next calls, at another moment each time.
      for (let turns = 0; turns < kill * 5; turns++) await new Promise(setImmediate);
      child.kill('SIGKILL');
      await exited;
      const files = createMountedFs(
        { project: join(root, 'project'), pkg: root, state: root },
        createSecretCheck(),
      );
      await openJournal({
        folder: join(root, 'journal'),
        files,
        clock: () => new Date(),
        warn: () => undefined,
      });
      const contents = new Set(
        Object.values(await readTree(join(root, 'project'))).filter((text) => text !== ''),
      );
      expect([...contents]).toHaveLength(1);
    }
  });
});
