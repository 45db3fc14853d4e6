import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import {
  fileListResponseSchema,
  fileReadResponseSchema,
  fileSaveRequestSchema,
  fileSaveResponseSchema,
} from '@crewagent/protocol/api/files';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { sha256Of } from '../base/sha256.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { codeOf, openProjectFilesRig, refusalOf } from '../testing/rigs/project-files-rig.ts';
import { readTree, writeTree } from '../testing/temp-folder.ts';

const hashOf = (text: string): string => sha256Of(Buffer.from(text));

describe('listing a folder', () => {
  it('[F23] returns folders first, in natural order, hidden names on request', async () => {
    const { project, files } = await openProjectFilesRig({
      content: {
        'a10.md': 'ten',
        'a2.md': '2',
        'B.md': '',
        'b/x.md': '',
        'part 10/x': '',
        'part 9/x': '',
        '.hidden/x': '',
        '.env': 'KEY=1',
        '.git/config': '',
        'node_modules/p/index.js': '',
        'Thumbs.db': '',
        '.writing-1-0123456789abcdef': '',
      },
    });
    await symlink('b', join(project, 'link'));
    execFileSync('mkfifo', [join(project, 'pipe')]);
    const shown = await files.list('@project');
    expect(fileListResponseSchema.parse(shown)).toEqual(shown);
    expect(shown.entries.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'folder b',
      'folder part 9',
      'folder part 10',
      'file a2.md',
      'file a10.md',
      'file B.md',
      'link link',
      'other pipe',
    ]);
    expect(shown).toMatchObject({ path: '@project', total: 8, isTruncated: false });
    expect(shown.entries.find(({ name }) => name === 'a10.md')).toMatchObject({ bytes: 3, isSecret: false });
    const all = await files.list('@project', { includeHidden: true });
    const flags = all.entries.map(({ name, isSecret, isIgnored }) => [name, isSecret, isIgnored]);
    expect(flags).toContainEqual(['.env', true, false]);
    expect(flags).toContainEqual(['.git', false, true]);
    expect(flags).toContainEqual(['node_modules', false, true]);
    expect(flags).toContainEqual(['.hidden', false, false]);
    expect(flags.some(([name]) => String(name).startsWith('.writing-'))).toBe(false);
    // A link that stays inside can be listed like a folder.
    expect((await files.list('@project/link')).entries.map(({ name }) => name)).toEqual(['x.md']);
  });

  it('[F23] returns the first 5,000 of 10,000 entries in order, with the total', async () => {
    const { project, files } = await openProjectFilesRig();
    await mkdir(join(project, 'many', 'zz-folder'), { recursive: true });
    for (let index = 0; index < 9_999; index++) writeFileSync(join(project, 'many', `f${index}`), '');
    const { entries, total, isTruncated } = await files.list('@project/many');
    expect([entries.length, total, isTruncated]).toEqual([5_000, 10_000, true]);
    expect([entries[0]?.name, entries[1]?.name, entries.at(-1)?.name]).toEqual(['zz-folder', 'f0', 'f4998']);
  });

  it('[F23] includes names that cannot be written as a path, marked as out of reach', async () => {
    const { project, files } = await openProjectFilesRig();
    for (const name of ['line\nbreak', 'right\u202eto-left', 'back\\slash', 'plain'])
      await writeFile(join(project, name), '');
    await writeFile(Buffer.concat([Buffer.from(`${project}/no-text`), Buffer.from([0xff])]), '');
    const { entries } = await files.list('@project');
    const reach = Object.fromEntries(entries.map(({ name, isOutOfReach }) => [name, isOutOfReach ?? false]));
    expect(reach).toEqual({
      'line break': true,
      'right\uFFFDto-left': true,
      'back\\slash': true,
      'no-text\uFFFD': true,
      plain: false,
    });
  });

  it('[F1] lists only folders of the project', async () => {
    const { root, project, files } = await openProjectFilesRig({ content: { 'a.md': '' } });
    await symlink(root, join(project, 'out'));
    expect(await codeOf(files.list('@project/out'))).toBe('PermissionDenied');
    expect(await codeOf(files.list('@project/a.md'))).toBe('FILE_NOT_FOUND');
    expect(await codeOf(files.list('@project/none'))).toBe('FILE_NOT_FOUND');
  });
});

describe('reading a file', () => {
  const cases: [string, Buffer, object][] = [
    [
      'a.md',
      Buffer.from('one\ntwo\n'),
      { kind: 'text', encoding: 'utf8', lineEnding: 'lf', mime: 'text/markdown' },
    ],
    [
      'a.csv',
      Buffer.from('a,b\r\n'),
      { kind: 'text', encoding: 'utf8', lineEnding: 'crlf', mime: 'text/csv' },
    ],
    [
      'bom.txt',
      Buffer.from('\uFEFFx\r\ny\n'),
      { encoding: 'utf8-bom', lineEnding: 'mixed', text: 'x\r\ny\n' },
    ],
    [
      'wide.txt',
      Buffer.from('\uFEFFwide', 'utf16le'),
      { encoding: 'utf16le', lineEnding: 'none', text: 'wide' },
    ],
    ['old.txt', Buffer.from('caf\u00e9', 'latin1'), { encoding: 'latin1', text: 'caf\u00e9' }],
    ['empty', Buffer.alloc(0), { kind: 'text', text: '', mime: 'text/plain' }],
    ['p.png', Buffer.from([0x89, 0x50, 0, 1]), { kind: 'binary', mime: 'image/png' }],
    ['odd.txt', Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x41]), { kind: 'binary' }],
    ['s.svg', Buffer.from('<svg/>'), { kind: 'text', mime: 'image/svg+xml' }],
  ];
  it.each(cases)('[F3] detects the kind of %s', async (name, bytes, expected) => {
    const { files } = await openProjectFilesRig({ content: { [name]: bytes } });
    const found = await files.read(`@project/${name}`);
    expect(fileReadResponseSchema.parse(found)).toEqual(found);
    expect(found).toMatchObject({
      bytes: bytes.length,
      sha256: sha256Of(bytes),
      isTooLarge: false,
      ...expected,
    });
    expect(await files.readBytes(`@project/${name}`)).toMatchObject({ bytes, sha256: sha256Of(bytes) });
  });

  it('[F3] has separate size limits for text and bytes', async () => {
    const { project, files } = await openProjectFilesRig();
    await writeFile(join(project, 'large.md'), Buffer.alloc(5 * 1_048_576, 'x'));
    const found = await files.read('@project/large.md');
    expect(found).toEqual({
      path: '@project/large.md',
      bytes: 5 * 1_048_576,
      mime: 'text/markdown',
      isTooLarge: true,
      modifiedAt: found.modifiedAt,
    });
    expect((await files.readBytes('@project/large.md')).bytes).toHaveLength(5 * 1_048_576);
    await truncate(join(project, 'large.md'), 33 * 1_048_576);
    expect(await refusalOf(files.readBytes('@project/large.md'))).toMatchObject({
      code: 'FILE_TOO_LARGE',
      details: { bytes: 33 * 1_048_576 },
    });
  });

  it('[F3] returns any text losslessly', async () => {
    const { project, files } = await openProjectFilesRig();
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom('', '\uFEFF'),
        async (bytes, prefix) => {
          const content = Buffer.concat([Buffer.from(prefix), bytes]);
          await writeFile(join(project, 'any'), content);
          const found = await files.read('@project/any');
          if (found.isTooLarge || found.kind === 'binary') return;
          const { text, sha256 } = found;
          const { change } = await files.save({ path: '@project/any', text, ifMatchSha256: sha256 });
          expect(change).toBeNull();
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(['.env', 'sub/.ENV', 'id_rsa', '.ssh/known_hosts', 'keys/server.pem'])(
    '[F3] lists the secret file %s, but neither reads nor saves it',
    async (name) => {
      const { project, files } = await openProjectFilesRig({ content: { [name]: 'SECRET', 'in/x': '' } });
      await symlink(join(project, name), join(project, 'innocent.txt'));
      const sha256 = hashOf('SECRET');
      for (const path of [`@project/${name}`, '@project/innocent.txt']) {
        for (const attempt of [
          () => files.read(path),
          () => files.readBytes(path),
          () => files.save({ path, text: 'x', ifMatchSha256: sha256 }),
          () => files.save({ path, text: 'x', ifMatchSha256: null }),
        ]) {
          const { code, message } = await refusalOf(attempt());
          expect(code).toBe('PermissionDenied');
          expect(message).not.toContain('SECRET');
        }
      }
      const folder = name.split('/').slice(0, -1).join('/');
      const { entries } = await files.list(folder ? `@project/${folder}` : '@project', {
        includeHidden: true,
      });
      expect(entries.find((entry) => name.endsWith(entry.name))?.isSecret).toBe(true);
      expect(await readFile(join(project, name), 'utf8')).toBe('SECRET');
    },
  );

  it('[F3] accepts additional secret patterns', async () => {
    const { files } = await openProjectFilesRig({
      content: { 'plan.draft': 'x' },
      isSecret: createSecretCheck(['*.draft']),
    });
    expect(await codeOf(files.read('@project/plan.draft'))).toBe('PermissionDenied');
  });
});

describe('saving a file', () => {
  it('[F5] rejects a read-only file, which can still be moved, removed and restored', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'a.md': 'one' } });
    await chmod(join(project, 'a.md'), 0o444);
    const save = { path: '@project/a.md', text: 'two', ifMatchSha256: hashOf('one') };
    const refusal = await refusalOf(files.save(save));
    expect(refusal.code).toBe('FILE_READ_ONLY');
    expect(refusal.message).toBe(
      '"@project/a.md" is read-only, so it was not saved. Make it writable in another program, then save again.',
    );
    expect(await readFile(join(project, 'a.md'), 'utf8')).toBe('one');
    const removed = await files.remove('@project/a.md');
    await files.undo(removed.id);
    await files.move('@project/a.md', '@project/b.md');
    await files.move('@project/b.md', '@project/a.md');
    expect((await stat(join(project, 'a.md'))).mode & 0o777).toBe(0o444);
    await chmod(join(project, 'a.md'), 0o644);
    expect(await files.save(save)).toMatchObject({ sha256: hashOf('two') });
  });

  it('[F5] saves over the version that was seen and keeps its permissions; otherwise reports a conflict with the current hash', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'a.md': 'one' } });
    await chmod(join(project, 'a.md'), 0o750);
    const saved = await files.save({ path: '@project/a.md', text: 'two', ifMatchSha256: hashOf('one') });
    expect(fileSaveResponseSchema.parse(saved)).toEqual(saved);
    expect(saved).toMatchObject({
      sha256: hashOf('two'),
      bytes: 3,
      change: { kind: 'saved', isUndoable: true },
    });
    expect((await stat(join(project, 'a.md'))).mode & 0o777).toBe(0o750);
    const late = await refusalOf(
      files.save({ path: '@project/a.md', text: 'x', ifMatchSha256: hashOf('one') }),
    );
    expect(late).toMatchObject({ code: 'FILE_CONFLICT', details: { sha256: hashOf('two') } });
    const blind = await refusalOf(files.save({ path: '@project/a.md', text: 'x', ifMatchSha256: null }));
    expect(blind).toMatchObject({ code: 'FILE_EXISTS', details: { sha256: hashOf('two') } });
    const missing = await refusalOf(
      files.save({ path: '@project/b.md', text: 'x', ifMatchSha256: hashOf('') }),
    );
    expect(missing).toMatchObject({ code: 'FILE_CONFLICT', details: { sha256: null } });
    expect(await readTree(project)).toEqual({ 'a.md': 'two' });
    const same = await files.save({ path: '@project/a.md', text: 'two', ifMatchSha256: hashOf('two') });
    expect(same.change).toBeNull();
  });

  it('[F5] saves only one of many concurrent edits of the same version', async () => {
    const { project, files, open } = await openProjectFilesRig({ content: { 'a.md': 'old' } });
    const other = await open();
    const attempts = ['one', 'two', 'three', 'four'].map((text, index) =>
      (index % 2 ? other : files)
        .save({ path: '@project/a.md', text, ifMatchSha256: hashOf('old') })
        .then(() => text)
        .catch((error: unknown) => (error instanceof CrewError ? error.code : String(error))),
    );
    const outcomes = await Promise.all(attempts);
    const winners = outcomes.filter((outcome) => outcome !== 'FILE_CONFLICT');
    expect(winners).toHaveLength(1);
    expect(await readFile(join(project, 'a.md'), 'utf8')).toBe(winners[0]);
    expect(await readdir(project)).toEqual(['a.md']);
  });

  it('[F5] keeps the encoding, and uses the requested line ending', async () => {
    const wide = Buffer.from('\uFEFFold\r\n', 'utf16le');
    const { project, files } = await openProjectFilesRig({
      content: { 'wide.txt': wide, 'old.txt': Buffer.from('caf\u00e9', 'latin1') },
    });
    const save = (
      name: string,
      before: Buffer,
      request: { text: string; encoding?: 'utf8'; lineEnding?: 'crlf' },
    ) => files.save({ path: `@project/${name}`, ifMatchSha256: sha256Of(before), ...request });
    await save('wide.txt', wide, { text: 'a\nb\r\nc\n', lineEnding: 'crlf' });
    expect(await readFile(join(project, 'wide.txt'))).toEqual(
      Buffer.from('\uFEFFa\r\nb\r\nc\r\n', 'utf16le'),
    );
    const old = Buffer.from('caf\u00e9', 'latin1');
    expect(await codeOf(save('old.txt', old, { text: 'caf\u00e9 \u4e2d' }))).toBe('USAGE');
    await save('old.txt', old, { text: 'caf\u00e9 \u4e2d', encoding: 'utf8' });
    expect(await readFile(join(project, 'old.txt'), 'utf8')).toBe('caf\u00e9 \u4e2d');
    const bytes = Buffer.from([0, 255, 1]);
    await files.save({ path: '@project/new/deep/x.bin', bytes, ifMatchSha256: null });
    expect(await readFile(join(project, 'new/deep/x.bin'))).toEqual(bytes);
  });

  it('[F5] saves the target of a link and keeps the link; rejects folders and large content', async () => {
    const { project, files } = await openProjectFilesRig({ content: { 'real/a.md': 'one' } });
    await symlink('real/a.md', join(project, 'link.md'));
    await files.save({ path: '@project/link.md', text: 'two', ifMatchSha256: hashOf('one') });
    expect(await readTree(project)).toMatchObject({ 'link.md': '-> real/a.md', 'real/a.md': 'two' });
    expect(await codeOf(files.save({ path: '@project/real', text: '', ifMatchSha256: null }))).toBe('USAGE');
    expect(await codeOf(files.save({ path: '@project', text: '', ifMatchSha256: null }))).toBe('USAGE');
    const huge = files.save({ path: '@project/h', bytes: Buffer.alloc(33 * 1_048_576), ifMatchSha256: null });
    expect(await codeOf(huge)).toBe('FILE_TOO_LARGE');
    expect(await codeOf(files.save({ path: '@project/real/a.md/x', text: '', ifMatchSha256: null }))).toBe(
      'FILE_NOT_FOUND',
    );
  });

  it('[F1] requires either text or base64, and a project path', () => {
    const parse = (request: object): boolean =>
      fileSaveRequestSchema.safeParse({ path: '@project/a', ifMatchSha256: null, ...request }).success;
    expect(parse({ text: '' })).toBe(true);
    expect(parse({ base64: 'AAE=' })).toBe(true);
    for (const bad of [
      {},
      { text: '', base64: '' },
      { base64: 'no base64!' },
      { text: '', path: '/etc/passwd' },
    ])
      expect(parse(bad)).toBe(false);
  });
});

describe('paths and names', () => {
  it.each([
    '/etc/passwd',
    'a.md',
    'workflow.md',
    '@state/workflow.md',
    '@pkg/steps/a.md',
    '@projects/a.md',
    '@project/../a.md',
    '@project/a/../../b.md',
    '@project/a\\..\\b.md',
    '@project/a\u0000.md',
    '@project/\u202egnp.md',
    '@project/a\nb.md',
    '{project-root}/a.md',
    'C:/a.md',
    'file:///etc/passwd',
    '',
  ])('[F1] rejects the path %j everywhere', async (path) => {
    const { root, project, files } = await openProjectFilesRig({ content: { 'ok.md': 'ok' } });
    const attempts = [
      () => files.list(path),
      () => files.read(path),
      () => files.readBytes(path),
      () => files.save({ path, text: 'x', ifMatchSha256: null }),
      () => files.createFile(path),
      () => files.createFolder(path),
      () => files.move(path, '@project/x'),
      () => files.move('@project/ok.md', path),
      () => files.remove(path),
    ];
    for (const attempt of attempts) {
      const { code, message } = await refusalOf(attempt());
      expect(code).toBe('USAGE');
      expect(message).not.toContain(root);
    }
    expect(await readTree(project)).toEqual({ 'ok.md': 'ok' });
  });

  it('[F1] rejects a path of 4,200 characters', async () => {
    const { files } = await openProjectFilesRig();
    expect(await codeOf(files.read(`@project/${'a/'.repeat(2_100)}`))).toBe('USAGE');
  });

  it('[F1] normalises "." and ".." inside the project', async () => {
    const { files } = await openProjectFilesRig({ content: { 'a/b.md': 'x' } });
    expect((await files.read('@project/./a/../a//b.md')).path).toBe('@project/a/b.md');
  });

  it.each(['con', 'a/NUL.txt', 'dot.', 'space ', '.removing-1-0123456789abcdef', 'aux/x.md'])(
    '[F8] rejects %j as a new name',
    async (name) => {
      const { project, files } = await openProjectFilesRig({ content: { 'ok.md': 'ok' } });
      const path = `@project/${name}`;
      expect(await codeOf(files.createFile(path))).toBe('USAGE');
      expect(await codeOf(files.createFolder(path))).toBe('USAGE');
      if (!name.includes('/')) expect(await codeOf(files.move('@project/ok.md', path))).toBe('USAGE');
      expect(await readTree(project)).toEqual({ 'ok.md': 'ok' });
    },
  );

  it('[F8] rejects a new name of 256 bytes', async () => {
    const { files } = await openProjectFilesRig({ content: { 'ok.md': 'ok' } });
    const path = `@project/${'x'.repeat(256)}`;
    expect(await codeOf(files.createFile(path))).toBe('USAGE');
    expect(await codeOf(files.createFolder(path))).toBe('USAGE');
    expect(await codeOf(files.move('@project/ok.md', path))).toBe('USAGE');
  });

  it('[F8] reads, saves and renames existing files with such names', async () => {
    const { project, files } = await openProjectFilesRig();
    await writeTree(project, { 'dot./con': 'x' });
    await files.save({ path: '@project/dot./con', text: 'y', ifMatchSha256: hashOf('x') });
    await files.createFile('@project/dot./fine.md');
    await files.move('@project/dot.', '@project/dot');
    expect(await readTree(project)).toEqual({ 'dot/': '', 'dot/con': 'y', 'dot/fine.md': '' });
  });
});

describe('a project with a missing folder', () => {
  it('reports not found, creates nothing, and works again when the folder is back', async () => {
    const { root, project, files, open } = await openProjectFilesRig({ content: { 'a.md': 'one' } });
    await files.save({ path: '@project/a.md', text: 'two', ifMatchSha256: hashOf('one') });
    await rename(project, `${project}-away`);
    const reopened = await open();
    for (const each of [files, reopened]) {
      const attempts = [
        () => each.list('@project'),
        () => each.read('@project/a.md'),
        () => each.save({ path: '@project/b.md', text: 'x', ifMatchSha256: null }),
        () => each.createFolder('@project/sub'),
        () => each.move('@project/a.md', '@project/b.md'),
        () => each.remove('@project/a.md'),
      ];
      for (const attempt of attempts) {
        const { code, message } = await refusalOf(attempt());
        expect(code).toBe('FOLDER_NOT_FOUND');
        expect(message).not.toContain(root);
      }
    }
    expect(await readdir(root)).toEqual(['project-away', 'store']);
    await rename(`${project}-away`, project);
    const [change] = await reopened.changes();
    await reopened.undo(change?.id ?? '');
    expect(await readTree(project)).toEqual({ 'a.md': 'one' });
  });
});
