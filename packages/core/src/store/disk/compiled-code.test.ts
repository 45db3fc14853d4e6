import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../testing/temp-folder.ts';
import { createCompiledCodeFile } from './compiled-code.ts';

const CODE = new Map([
  ['one-12345678.js', Buffer.from([1, 2, 3])],
  ['two-12345678.js', Buffer.from([10, 10])],
]);

async function stored(): Promise<{ root: string; file: string }> {
  const root = await tempFolder();
  createCompiledCodeFile(root, 'run').write(CODE);
  const folder = join(root, 'cache', 'code');
  const [version = ''] = readdirSync(folder);
  return { root, file: join(folder, version, 'run') };
}

describe('the cache of compiled code', () => {
  it('[C24] returns what was written, for this command only', async () => {
    const { root } = await stored();
    expect(createCompiledCodeFile(root, 'run').read()).toEqual(CODE);
    expect(createCompiledCodeFile(root, 'runs').read()).toEqual(new Map());
  });

  it('[C24] returns what another command stored last', async () => {
    const { root, file } = await stored();
    const latest = new Map([['three-12345678.js', Buffer.from([3])]]);
    createCompiledCodeFile(root, 'validate').write(latest);
    utimesSync(file, 1, 1);
    expect(createCompiledCodeFile(root, 'runs').readOther()).toEqual(latest);
    expect(createCompiledCodeFile(root, 'validate').readOther()).toEqual(CODE);
  });

  it('[C24] returns nothing of other commands if there are none', async () => {
    const { root } = await stored();
    expect(createCompiledCodeFile(root, 'run').readOther()).toEqual(new Map());
    expect(createCompiledCodeFile(await tempFolder(), 'run').readOther()).toEqual(new Map());
  });

  it('[C24] is removed for a version of Node that stored nothing for 30 days', async () => {
    const root = await tempFolder();
    const versions = join(root, 'cache', 'code');
    for (const version of ['v18.0.0-x64', 'v22.0.0-x64'])
      mkdirSync(join(versions, version), { recursive: true });
    const daysAgo = (days: number): Date => new Date(Date.now() - days * 24 * 60 * 60 * 1000);
    utimesSync(join(versions, 'v18.0.0-x64'), daysAgo(31), daysAgo(31));
    utimesSync(join(versions, 'v22.0.0-x64'), daysAgo(29), daysAgo(29));
    createCompiledCodeFile(root, 'run').write(CODE);
    expect(readdirSync(versions).sort()).toEqual(
      [`${process.version}-${process.arch}`, 'v22.0.0-x64'].sort(),
    );
  });

  it.each<[string, (content: Buffer) => Buffer | string]>([
    [
      'a changed byte',
      (content) => Buffer.from(content.map((byte, at) => (at === content.length - 1 ? byte ^ 1 : byte))),
    ],
    ['a missing end', (content) => content.subarray(0, -1)],
    ['no header', (content) => content.subarray(40)],
    ['nothing', () => ''],
  ])('[C24] is empty if the file has %s', async (_, damage) => {
    const { root, file } = await stored();
    writeFileSync(file, damage(readFileSync(file)));
    expect(createCompiledCodeFile(root, 'run').read()).toEqual(new Map());
  });

  it('[C24] ignores a disk that cannot be written', async () => {
    const root = await tempFolder();
    writeFileSync(join(root, 'cache'), '');
    createCompiledCodeFile(root, 'run').write(CODE);
    expect(createCompiledCodeFile(root, 'run').read()).toEqual(new Map());
  });
});
