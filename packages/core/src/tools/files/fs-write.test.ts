import { createHash } from 'node:crypto';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeOf, createToolRig } from '../../testing/rigs/tool-rig.ts';
import { readTree } from '../../testing/temp-folder.ts';

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

describe('fs.write', () => {
  it('creates files and folders, overwrites, appends', async () => {
    const { call, project } = await createToolRig();
    const read = (path: string): Promise<string> => readFile(join(project, path), 'utf8');
    expect(await call('fs.write', { path: '@project/new/dir/a.md', content: 'one\n' })).toMatchObject({
      ok: true,
      path: '@project/new/dir/a.md',
      bytesWritten: 4,
      sha256After: sha256('one\n'),
    });
    expect(
      await call('fs.write', { path: '@project/new/dir/a.md', content: 'two\n', mode: 'append' }),
    ).toMatchObject({ sha256After: sha256('one\ntwo\n') });
    expect(await read('new/dir/a.md')).toBe('one\ntwo\n');
    await call('fs.write', { path: '@project/new/dir/a.md', content: 'three' });
    expect(await read('new/dir/a.md')).toBe('three');
    expect(await call('fs.write', { path: '@state/notes/scratch.md', content: 'x' })).toMatchObject({
      ok: true,
    });
  });

  it('[T11] preserves encoding, BOM, line endings and mode', async () => {
    const { call, project } = await createToolRig({
      project: {
        'w.txt': 'a\r\nb\r\n',
        'b.txt': '\uFEFFx',
        'u.txt': Buffer.from('\uFEFFold', 'utf16le'),
        'l.txt': Buffer.from('caf\xe9', 'latin1'),
      },
    });
    await chmod(join(project, 'w.txt'), 0o640);
    await call('fs.write', { path: 'w.txt', content: 'c\nd\n' });
    await call('fs.write', { path: 'b.txt', content: 'y' });
    await call('fs.write', { path: 'u.txt', content: 'né' });
    await call('fs.write', { path: 'l.txt', content: '\xe8', mode: 'append' });
    const bytes = (path: string): Promise<Buffer> => readFile(join(project, path));
    expect((await bytes('w.txt')).toString()).toBe('c\r\nd\r\n');
    expect((await stat(join(project, 'w.txt'))).mode & 0o777).toBe(0o640);
    expect((await bytes('b.txt')).toString()).toBe('\uFEFFy');
    expect((await bytes('u.txt')).equals(Buffer.from('\uFEFFné', 'utf16le'))).toBe(true);
    expect((await bytes('l.txt')).equals(Buffer.from('caf\xe9\xe8', 'latin1'))).toBe(true);
  });

  it('[T11] appends to a file with invalid bytes without touching them, and only what its encoding has', async () => {
    const damaged = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0x0a]);
    const { call, project } = await createToolRig({
      project: { 'bom.txt': damaged, 'latin.txt': Buffer.from('gr\xfcn\n', 'latin1') },
    });
    await call('fs.write', { path: 'bom.txt', content: '€\n', mode: 'append' });
    expect(await readFile(join(project, 'bom.txt'))).toEqual(Buffer.concat([damaged, Buffer.from('€\n')]));
    const refused = await call('fs.write', { path: 'latin.txt', content: '€', mode: 'append' });
    expect(refused).toMatchObject({
      error: { code: 'E_PATCH_FAILED', message: expect.stringContaining('"€" (U+20AC)') as string },
    });
    expect(await readFile(join(project, 'latin.txt'), 'latin1')).toBe('gr\xfcn\n');
  });

  it('[T14] limits the size, and says what to do instead', async () => {
    const { call, project } = await createToolRig({
      agentTools: { fs: { enabled: true, maxWriteBytes: 10 } },
    });
    const refused = await call('fs.write', { path: 'a.txt', content: 'x'.repeat(11) });
    expect(refused).toMatchObject({
      error: { code: 'E_WRITE_LIMIT', message: expect.stringContaining('append') as string },
    });
    expect(await readdir(project)).toEqual([]);
  });

  it("[T14] does not apply the agent's write limit to the state document", async () => {
    const { call } = await createToolRig({ agentTools: { fs: { enabled: true, maxWriteBytes: 10 } } });
    const update = { variables: { set: { note: 'longer than ten bytes' } } };
    const patches = [{ operation: 'updateFrontmatter', update }];
    expect(await call('fs.apply_patch', { path: '@state/workflow.md', patches })).toMatchObject({ ok: true });
    const huge = { variables: { set: { note: 'x'.repeat(1024 * 1024) } } };
    expect(
      await call('fs.apply_patch', {
        path: '@state/workflow.md',
        patches: [{ operation: 'updateFrontmatter', update: huge }],
      }),
    ).toMatchObject({ ok: false });
  });

  it('ignores white space before a mount', async () => {
    const { call, project } = await createToolRig();
    expect(await call('fs.write', { path: ' @project/a.md', content: 'x' })).toMatchObject({
      ok: true,
      path: '@project/a.md',
    });
    expect(await readdir(project)).toEqual(['a.md']);
  });

  it('[T11] rejects Markdown only if its frontmatter is invalid YAML', async () => {
    const { call, project } = await createToolRig();
    const write = async (content: string): Promise<string> =>
      codeOf(await call('fs.write', { path: 'a.md', content }));
    expect(await write('---\na: [\n---\nx')).toBe('E_INVALID_FRONTMATTER');
    expect(await write('---\na: 1\na: 2\n---\n')).toBe('E_INVALID_FRONTMATTER');
    expect(await readdir(project)).toEqual([]);
    for (const fine of ['---\na: 1\n---\n', '# no block', '---\nnever closed', '---\njust text\n---\n', '']) {
      expect(await write(fine)).toBe('ok');
    }
    expect(codeOf(await call('fs.write', { path: 'a.txt', content: '---\na: [\n---\n' }))).toBe('ok');
  });

  it('[T14] rejects a write if the file changed since it was read', async () => {
    const { call, project } = await createToolRig({ project: { 'a.md': 'old' } });
    const wrong = { path: 'a.md', content: 'new', ifMatchSha256: sha256('other') };
    expect(await call('fs.write', wrong)).toMatchObject({
      error: { code: 'E_PRECONDITION_FAILED', details: { sha256: sha256('old') } },
    });
    expect(codeOf(await call('fs.write', { ...wrong, path: 'none.md' }))).toBe('E_PRECONDITION_FAILED');
    expect(await readTree(project)).toEqual({ 'a.md': 'old' });
    expect(codeOf(await call('fs.write', { ...wrong, ifMatchSha256: sha256('old').toUpperCase() }))).toBe(
      'ok',
    );
  });

  it('[M6] [M3] rejects @pkg, the logs and other spellings of the state document, and changes nothing', async () => {
    const { call, root } = await createToolRig();
    const before = await readTree(root);
    for (const path of [
      '@pkg/x.md',
      'steps/step-01.md',
      '@state/../logs/execution.jsonl',
      '@state/WORKFLOW.md',
      '/tmp/x',
      '@logs/x',
    ]) {
      expect(codeOf(await call('fs.write', { path, content: 'x' }))).toBe('E_SANDBOX_VIOLATION');
    }
    expect(await readTree(root)).toEqual(before);
  });

  it('[M10] leaves the old file and no temp file after a disk error', async () => {
    const { call, project } = await createToolRig({ project: { 'dir/a.md': 'old' } });
    // The name fits, but its folder path is too long.
    const long = `${'x'.repeat(255)}/`.repeat(3);
    expect(codeOf(await call('fs.write', { path: `@project/${long}${'y'.repeat(256)}`, content: 'x' }))).toBe(
      'E_DISK',
    );
    expect((await readdir(join(project, 'dir'))).sort()).toEqual(['a.md']);
  });
});

describe('fs.apply_patch', () => {
  it('[T46] can be aborted between the patches of a large file, which stays unchanged', async () => {
    const text = 'a line\n'.repeat(60_000);
    const { call, project } = await createToolRig({ project: { 'large.txt': text } });
    const patches = Array.from({ length: 100 }, (_, index) => ({
      operation: 'replace',
      all: true,
      find: index % 2 === 0 ? 'a line' : 'b line',
      replace: index % 2 === 0 ? 'b line' : 'a line',
    }));
    const stopper = new AbortController();
    let turns = 0;
    const stopLater = (): void => void (++turns === 40 ? stopper.abort() : setImmediate(stopLater));
    stopLater();
    const patched = await call('fs.apply_patch', { path: 'large.txt', patches }, { signal: stopper.signal });
    expect(codeOf(patched)).toBe('ENGINE_ABORTED');
    expect(await readFile(join(project, 'large.txt'), 'utf8')).toBe(text);
  });

  const FILE = 'alpha\nbeta\ngamma\nbeta\n';

  it('[T14] replaces a unique passage, or all occurrences', async () => {
    const { call, project } = await createToolRig({ project: { 'a.txt': FILE } });
    const patch = (patches: unknown[]): ReturnType<typeof call> =>
      call('fs.apply_patch', { path: 'a.txt', patches });
    expect(await patch([{ operation: 'replace', find: 'beta', replace: 'x' }])).toMatchObject({
      error: { code: 'E_PATCH_FAILED', message: expect.stringContaining('more than once') as string },
    });
    expect(await patch([{ operation: 'replace', find: 'delta', replace: 'x' }])).toMatchObject({
      error: { code: 'E_PATCH_FAILED' },
    });
    expect(
      await patch([
        { operation: 'replace', find: 'alpha', replace: 'A' },
        { operation: 'replace', find: 'nope', replace: '' },
      ]),
    ).toMatchObject({ error: { details: { patch: 1 } } });
    expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe(FILE);
    const done = await patch([
      { operation: 'replace', find: 'alpha\nbeta', replace: 'A$&\nB' },
      { operation: 'replace', find: 'beta', replace: 'b', all: true },
    ]);
    expect(done).toMatchObject({
      ok: true,
      sha256Before: sha256(FILE),
      sha256After: sha256('A$&\nB\ngamma\nb\n'),
    });
    expect(done.ok && done.diff).toContain('+A$&');
  });

  it('[T190] applies a unified diff exactly, then ignoring white space, or not at all', async () => {
    const { call, project } = await createToolRig({
      project: { 'a.txt': FILE, 'crlf.txt': FILE.replaceAll('\n', '\r\n') },
    });
    const diff = '@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n';
    expect(
      codeOf(await call('fs.apply_patch', { path: 'a.txt', patches: [{ operation: 'diff', diff }] })),
    ).toBe('ok');
    expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('alpha\nBETA\ngamma\nbeta\n');
    expect(
      codeOf(await call('fs.apply_patch', { path: 'crlf.txt', patches: [{ operation: 'diff', diff }] })),
    ).toBe('ok');
    expect(await readFile(join(project, 'crlf.txt'), 'utf8')).toBe('alpha\r\nBETA\r\ngamma\r\nbeta\r\n');
    for (const bad of ['*** Begin Patch\n*** End Patch', 'hello', '@@ -1,1 +1,1 @@\n-nope\n+x\n']) {
      expect(
        codeOf(await call('fs.apply_patch', { path: 'a.txt', patches: [{ operation: 'diff', diff: bad }] })),
      ).toBe('E_PATCH_FAILED');
    }
  });

  it('[P3] shows where a patch was made, and not again all that was written', async () => {
    const { call } = await createToolRig({ project: { 'a.txt': 'one\ntwo\n' } });
    const replace = (find: string, text: string) =>
      call('fs.apply_patch', { path: 'a.txt', patches: [{ operation: 'replace', find, replace: text }] });
    expect(await replace('two', 'three')).toMatchObject({
      diff: '--- @project/a.txt\n+++ @project/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n',
    });
    const { diff } = (await replace('three', 'A line of a long text.\n'.repeat(200))) as { diff?: string };
    expect(diff).toMatch(/^--- @project[\s\S]*-three\n\+A line/);
    expect(diff).toHaveLength(802);
  });

  it('[T11] preserves the line endings of a passage', async () => {
    const { call, project } = await createToolRig({ project: { 'a.txt': 'one\r\ntwo\r\n' } });
    await call('fs.apply_patch', {
      path: 'a.txt',
      patches: [{ operation: 'replace', find: 'one\ntwo', replace: '1\n2' }],
    });
    expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('1\r\n2\r\n');
  });

  it('[T211] accepts the flat form, {patch} and a missing operation', async () => {
    const { call, project } = await createToolRig({ project: { 'a.txt': 'a b c d' } });
    expect(codeOf(await call('fs.apply_patch', { path: 'a.txt', find: 'a', replace: '1' }))).toBe('ok');
    expect(
      codeOf(
        await call('fs.apply_patch', {
          path: 'a.txt',
          patch: { operation: 'replace', find: 'b', replace: '2' },
        }),
      ),
    ).toBe('ok');
    expect(
      codeOf(
        await call('fs.apply_patch', {
          path: 'a.txt',
          operation: 'replace',
          find: 'c',
          replace: '3',
          ifMatchSha256: sha256('1 2 c d'),
        }),
      ),
    ).toBe('ok');
    expect(
      codeOf(
        await call('fs.apply_patch', {
          path: 'workflow.md',
          operation: 'updateFrontmatter',
          update: { variables: { set: { a: 1 } } },
        }),
      ),
    ).toBe('ok');
    expect(await readFile(join(project, 'a.txt'), 'utf8')).toBe('1 2 3 d');
    expect(codeOf(await call('fs.apply_patch', { path: 'a.txt' }))).toBe('TOOL_ARGS_INVALID');
    expect(codeOf(await call('fs.apply_patch', { path: 'none.txt', find: 'a', replace: 'b' }))).toBe(
      'ENOENT',
    );
  });
});
