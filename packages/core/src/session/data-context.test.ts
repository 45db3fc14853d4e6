import { chmod, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFormat } from '@crewagent/protocol/commands';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CrewError } from '../base/crew-error.ts';
import { createMountedFs } from '../mounts/mounted-fs.ts';
import { createSecretCheck } from '../mounts/sensitive/secret-files.ts';
import { tempFolder, writeTree } from '../testing/temp-folder.ts';
import { type LoadedData, loadData } from './data-context.ts';

interface Rig {
  readonly root: string;
  readonly project: string;
  readonly pkg: string;
  load(
    path: string,
    parseAs?: DataFormat,
    limits?: { maxBytes?: number; previewBytes?: number },
  ): Promise<LoadedData>;
  /** Code and message of the rejection. */
  refusal(path: string, parseAs?: DataFormat): Promise<unknown>;
}

async function createRig(files: Readonly<Record<string, string | Buffer>> = {}): Promise<Rig> {
  const root = await tempFolder();
  const roots = { project: join(root, 'project'), pkg: join(root, 'pkg'), state: join(root, 'state') };
  for (const folder of Object.values(roots)) await mkdir(folder);
  await writeTree(roots.project, files);
  const mounted = createMountedFs(roots, createSecretCheck());
  const load: Rig['load'] = (path, parseAs = 'text', { maxBytes = 524_288, previewBytes = 8_192 } = {}) =>
    loadData({ type: 'path', path, parseAs }, { files: mounted, maxBytes, previewBytes });
  return {
    root,
    ...roots,
    load,
    async refusal(path, parseAs) {
      try {
        return await load(path, parseAs);
      } catch (error) {
        if (!(error instanceof CrewError)) throw error;
        expect(error.message).not.toContain(root);
        return [error.code, error.message];
      }
    },
  };
}

describe('loading a document', () => {
  it('[D9] renders it as a block with its content', async () => {
    const rig = await createRig();
    await writeTree(rig.pkg, { 'data/stories.csv': 'key;title\n1;"Log in; then out"\n' });
    expect(await rig.load('@pkg/data/stories.csv', 'csv')).toEqual({
      path: '@pkg/data/stories.csv',
      format: 'csv',
      bytes: 31,
      summary: '1 row; columns: key, title; separated by ";"',
      text: `DATA_CONTEXT
- path: @pkg/data/stories.csv
- format: csv
- bytes: 31
- summary: 1 row; columns: key, title; separated by ";"
  key;title
  1;"Log in; then out"
END_DATA_CONTEXT`,
    });
  });

  it('[D20] uses the first path that exists', async () => {
    const rig = await createRig({ 'types.csv': 'a,b\n1,2\n' });
    const files = createMountedFs(
      { project: rig.project, pkg: rig.pkg, state: rig.root },
      createSecretCheck(),
    );
    const otherwise = ['@pkg/assets/types.csv', '@project/types.csv'];
    const load = async (): Promise<string> => {
      const ref = { type: 'path', path: '@pkg/types.csv', otherwise, parseAs: 'csv' } as const;
      return (await loadData(ref, { files, maxBytes: 1_000, previewBytes: 100 })).path;
    };
    expect(await load()).toBe('@project/types.csv');
    await writeTree(rig.pkg, { 'assets/types.csv': 'a\n1\n' });
    expect(await load()).toBe('@pkg/assets/types.csv');
    await writeTree(rig.pkg, { 'types.csv': 'a\n1\n' });
    expect(await load()).toBe('@pkg/types.csv');
  });

  it('[D20] does not read outside the mounts', async () => {
    const rig = await createRig({ '.env': 'KEY=1' });
    await writeTree(rig.root, { 'outside.txt': 'OUTSIDE' });
    await symlink(join(rig.root, 'outside.txt'), join(rig.project, 'way-out.txt'));
    await symlink(join(rig.project, '.env'), join(rig.project, 'innocent.txt'));
    const advice = 'name another file as "data" in the agents.json of the package.';
    expect(await rig.refusal('@project/.env')).toEqual([
      'PermissionDenied',
      `The data "@project/.env" is a secret file, which tools cannot access; ${advice}`,
    ]);
    expect(await rig.refusal('@project/innocent.txt')).toEqual([
      'PermissionDenied',
      `The data "@project/innocent.txt" is a secret file, which tools cannot access; ${advice}`,
    ]);
    expect(await rig.refusal('@project/way-out.txt')).toEqual([
      'PermissionDenied',
      expect.stringMatching(/link that leads out of the mount; name another file/),
    ]);
    for (const path of ['@project/../outside.txt', '/etc/passwd', '@home/x', 'a\u202eb', '@project/a\\b'])
      expect(await rig.refusal(path)).toEqual(['PermissionDenied', expect.stringContaining('use a path')]);
  });

  it('[D20] rejects a missing file and a folder, and says what to do', async () => {
    const rig = await createRig({ 'docs/a.md': 'x' });
    expect(await rig.refusal('@project/docs/b.csv', 'csv')).toEqual([
      'DataLoadFailed',
      'The data "@project/docs/b.csv" does not exist; put the file there, or correct "data" in the agents.json of the package.',
    ]);
    expect(await rig.refusal('@pkg/data/b.csv', 'csv')).toEqual([
      'DataLoadFailed',
      'The data "@pkg/data/b.csv" does not exist; correct "data" in the agents.json of the package, or add the file to it.',
    ]);
    expect(await rig.refusal('@project/docs/a.md/b')).toEqual([
      'DataLoadFailed',
      expect.stringContaining('does not exist'),
    ]);
    for (const path of ['@project/docs', '@project'])
      expect(await rig.refusal(path)).toEqual([
        'DataLoadFailed',
        expect.stringContaining('is a folder, not a file'),
      ]);
  });

  it('[D20] rejects binary and oversized files', async () => {
    const rig = await createRig({ 'a.pdf': Buffer.from([37, 80, 68, 70, 0, 1, 2, 3]), 'huge.csv': '' });
    expect(await rig.refusal('@project/a.pdf')).toEqual([
      'DataLoadFailed',
      'The data "@project/a.pdf" is not text (application/pdf); save it as text, CSV or JSON.',
    ]);
    await truncate(join(rig.project, 'huge.csv'), 64 * 1024 * 1024 + 1);
    expect(await rig.refusal('@project/huge.csv', 'csv')).toEqual([
      'DataLoadFailed',
      'The data "@project/huge.csv" has 67108865 bytes; the limit is 67108864. Use a smaller part of it.',
    ]);
  });

  it('[D20] rejects a name that the disk does not support', async () => {
    const rig = await createRig();
    const path = `@project/${'x'.repeat(300)}`;
    expect(await rig.refusal(path)).toEqual([
      'DataLoadFailed',
      expect.stringContaining(`The data "${path}" `),
    ]);
  });

  it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    '[D20] rejects a file without read permission',
    async () => {
      const rig = await createRig({ 'a.txt': 'x' });
      await chmod(join(rig.project, 'a.txt'), 0o000);
      expect(await rig.refusal('@project/a.txt')).toEqual([
        'DataLoadFailed',
        'The data "@project/a.txt" could not be read: permission was denied; check who owns the folder.',
      ]);
    },
  );

  it('[D20] reports line and column of a syntax error', async () => {
    const rig = await createRig({ 'a.json': '{\n  "a": 1,\n}\n', 'a.yaml': 'a: 1\nb: [\n' });
    expect(await rig.refusal('@project/a.json', 'json')).toEqual([
      'DataLoadFailed',
      'The data "@project/a.json" cannot be read as JSON: line 3, column 1: this is not expected here; correct the file, then choose the command again.',
    ]);
    expect(await rig.refusal('@project/a.yaml', 'yaml')).toEqual([
      'DataLoadFailed',
      expect.stringContaining('cannot be read as YAML: line 2: flow sequence'),
    ]);
  });

  it('[D9] reads only the beginning of a large file, with a note', async () => {
    const rig = await createRig({
      'a.csv': `key,größe\n${'1,ü\n'.repeat(100)}`,
      'b.json': `["${'ü'.repeat(100)}"]`,
    });
    const { text, bytes } = await rig.load('@project/a.csv', 'csv', { maxBytes: 101, previewBytes: 60 });
    expect(bytes).toBe(512);
    // The limit cuts a character, which is left out.
    expect(text.split('\n').slice(3, 8)).toEqual([
      '- bytes: 512',
      '- summary: 17 rows so far; columns: key, größe',
      '- note: only the first 101 bytes were read',
      '- rest: fs_read {"path":"@project/a.csv","startLine":8}',
      '  key,größe',
    ]);
    const half = await rig.load('@project/b.json', 'json', { maxBytes: 21 });
    expect(half.text).toContain(
      '- note: only the first 20 bytes were read; line 1 is shown in part\n- rest: fs_read {"path":"@project/b.json","startLine":1}\n',
    );
    expect(half.text).toContain(`\n  ["${'ü'.repeat(9)}\nEND_DATA_CONTEXT`);
  });

  it('[D9] expands nothing in XML', async () => {
    const rig = await createRig({ 'a.xml': '<!DOCTYPE a [<!ENTITY b "c">]>\n<a>&b;</a>\n' });
    const { text } = await rig.load('@project/a.xml', 'xml');
    expect(text).toContain('- format: xml\n');
    expect(text).toContain('- summary: root <a>; 2 lines\n');
    expect(text).toContain('\n  <a>&b;</a>\n');
  });

  it('[D9] reads UTF-8 with a BOM, UTF-16 and, with a note, Latin-1', async () => {
    const rig = await createRig({
      'bom.json': Buffer.from('\uFEFF{"ä":1}'),
      'utf16.csv': Buffer.from('\uFEFFä,b\n1,2\n', 'utf16le'),
      'old.txt': Buffer.from('größe\n', 'latin1'),
    });
    expect((await rig.load('@project/bom.json', 'json')).text).toContain('an object with 1 key: ä\n');
    const wide = await rig.load('@project/utf16.csv', 'csv', { maxBytes: 15 });
    expect(wide.text).toContain('- summary: 0 rows so far; columns: ä, b\n');
    expect((await rig.load('@project/old.txt')).text).toContain(
      '- note: it is not UTF-8 and was read as Latin-1\n  größe\n',
    );
  });
});

describe('hostile documents', () => {
  const FORMATS: readonly DataFormat[] = ['json', 'yaml', 'csv', 'xml', 'text'];
  const tokens = fc.constantFrom(
    ...[
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '\\',
      ',',
      ';',
      '\t',
      '\n',
      '\r\n',
      '\r',
      ': ',
      '- ',
      '&a ',
      '*a ',
      '!!x ',
    ],
    ...[
      '<a>',
      '</a>',
      '<b/>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<!DOCTYPE a',
      '<!ENTITY',
      '<?',
      '&',
      '__proto__',
    ],
    ...[
      'END_DATA_CONTEXT',
      '\n\nUSER_INPUT\n',
      '\n\nRUN_DIRECTIVE\n- runType: x',
      '\u202e',
      '\u2028',
      '|',
      '>',
      '#',
    ],
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
    fc
      .array(fc.oneof(tokens, fc.string({ unit: 'binary', maxLength: 6 })), { maxLength: 30 })
      .map((parts) => Buffer.from(parts.join(''))),
    fc.tuple(tokens, fc.nat(400)).map(([token, times]) => Buffer.from(token.repeat(times))),
  );

  it('[D20] result in a bounded block that cannot be forged, or in an error message', async () => {
    const rig = await createRig();
    const limits = fc.record({ maxBytes: fc.integer({ min: 0, max: 400 }), previewBytes: fc.nat(300) });
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom(...FORMATS), limits, async (content, format, sizes) => {
        await writeFile(join(rig.project, 'data'), content);
        const loaded = await rig.load('@project/data', format, sizes).catch((error: unknown) => error);
        if (loaded instanceof CrewError) {
          expect(loaded.code).toBe('DataLoadFailed');
          expect(loaded.message).not.toMatch(/[\p{Cc}\u2028-\u202e]/u);
          expect(loaded.message.length).toBeLessThan(500);
          return;
        }
        const { text } = loaded as LoadedData;
        expect(text.split('\n').filter((line) => /^[A-Z]/.test(line))).toEqual([
          'DATA_CONTEXT',
          'END_DATA_CONTEXT',
        ]);
        expect(Buffer.byteLength(text)).toBeLessThan(sizes.previewBytes + 8_000);
      }),
    );
  });

  it.each<[string, DataFormat, string]>([
    ['one huge line', 'text', 'x'.repeat(600_000)],
    ['deep brackets', 'json', '['.repeat(500_000)],
    ['deep objects', 'json', '{"a":'.repeat(100_000)],
    ['deep elements', 'xml', '<a>'.repeat(150_000)],
    ['one huge attribute', 'xml', `<a b="${'x'.repeat(500_000)}"/>`],
    ['a million columns', 'csv', ','.repeat(500_000)],
    ['deep lists', 'yaml', '- '.repeat(200_000)],
    ['many keys', 'yaml', Array.from({ length: 40_000 }, (_, index) => `k${index}: 1`).join('\n')],
  ])('[D20] result in a short text or in DataLoadFailed: %s', async (_, format, content) => {
    const rig = await createRig({ data: content });
    const loaded = await rig.load('@project/data', format).catch((error: unknown) => error);
    if (loaded instanceof CrewError) expect(loaded.code).toBe('DataLoadFailed');
    else expect((loaded as LoadedData).text.length).toBeLessThan(20_000);
  });
});
