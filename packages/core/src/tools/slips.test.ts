import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOf, createToolRig } from '../testing/rigs/tool-rig.ts';
import { coerceArguments } from './tool-arguments.ts';
import { createWireNames } from './wire-names.ts';

const NAMES = ['fs.read', 'fs.list', 'fs.search', 'fs.write', 'runtime.complete_node', 'ui.ask_user'];

describe('names of tools', () => {
  const { fromWire } = createWireNames(NAMES);

  it.each([
    ['fs-read', 'fs.read'],
    ['FS.READ', 'fs.read'],
    ['fsRead', 'fs.read'],
    ['functions.fs_read', 'fs.read'],
    ['default_api.fs_write', 'fs.write'],
    ['read_file', 'fs.read'],
    ['readFile', 'fs.read'],
    ['write', 'fs.write'],
    ['list_directory', 'fs.list'],
    ['search_files', 'fs.search'],
    ['complete_node', 'runtime.complete_node'],
    ['ask_user', 'ui.ask_user'],
  ])('[T211] are accepted in other spellings: %s', (spelling, name) => {
    expect(fromWire(spelling)).toBe(name);
  });

  it.each(['', 'file', 'user', 'node', 'delete_file', 'functions.', 'web_search', 'fs', 'constructor'])(
    '[T211] are not guessed: %s',
    (spelling) => {
      expect(fromWire(spelling)).toBeUndefined();
    },
  );

  it('[T211] are not accepted if two tools can be meant', () => {
    const two = createWireNames([...NAMES, 'mcp.github.search', 'mcp.files.read_file']);
    expect(two.fromWire('search')).toBeUndefined();
    expect(two.fromWire('read_file')).toBeUndefined();
    expect(two.fromWire('github_search')).toBe('mcp.github.search');
  });

  it('[T211] cause no exception, whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (spelling) => {
        const name = fromWire(spelling);
        if (name !== undefined) expect(NAMES).toContain(name);
      }),
    );
  });
});

describe('arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string' },
      content: { type: 'string' },
      startLine: { type: 'integer' },
      regex: { type: 'boolean' },
      globs: { type: 'array', items: { type: 'string' } },
      variables: { type: 'object' },
      patches: {
        type: 'array',
        items: { type: 'object', properties: { all: { type: 'boolean' }, find: { type: 'string' } } },
      },
    },
  };

  it.each([
    [{ file_path: 'a' }, { path: 'a' }],
    [
      { filePath: 'a', text: 'b' },
      { path: 'a', content: 'b' },
    ],
    [{ start_line: '3' }, { startLine: 3 }],
    [{ regex: 'True' }, { regex: true }],
    [{ globs: 'docs/**' }, { globs: ['docs/**'] }],
    [{ globs: '["a","b"]' }, { globs: ['a', 'b'] }],
    [{ variables: '{"a": 1}' }, { variables: { a: 1 } }],
    [{ patches: { find: 'x', all: 'false' } }, { patches: [{ find: 'x', all: false }] }],
    [{ patches: '{"find":"x"}' }, { patches: [{ find: 'x' }] }],
  ])('[T211] become what they mean: %j', (given, meant) => {
    expect(coerceArguments(given, schema)).toEqual(meant);
  });

  it.each([
    [{ path: 'a', file: 'b' }],
    [{ file: 'a', filename: 'b' }],
    [{ startLine: 'three' }],
    [{ regex: 'yes' }],
    [{ variables: 'a' }],
    [{ variables: '{"a":1,"a":2}' }],
    [{ variables: '{"__proto__":{}}' }],
    [{ variables: `${'{"a":'.repeat(100)}1${'}'.repeat(100)}` }],
    [{ content: '{"a":1}' }],
  ])('[T211] are left alone if that is not certain: %j', (given) => {
    expect(coerceArguments(given, schema)).toEqual(given);
  });

  it.each([
    [{ patches: { operation: 'section', section: '## B', content: 'new' } }, '# A\nold\n## B\n\nnew\n'],
    [{ patches: [{ op: 'replace', old: 'old', new: 'new' }] }, '# A\nnew\n## B\n'],
    [{ old_string: 'old', new_string: 'new' }, '# A\nnew\n## B\n'],
  ])('[T211] of a patch are understood as other editors name them: %j', async (given, content) => {
    const { call, project } = await createToolRig({ project: { 'a.md': '# A\nold\n## B\n' } });
    expect(await call('fs.apply_patch', { path: 'a.md', ...given })).toMatchObject({ ok: true });
    expect(await readFile(join(project, 'a.md'), 'utf8')).toBe(content);
  });

  it('[T211] of a patch that cannot be understood are answered with the forms of a patch', async () => {
    const { call } = await createToolRig({ project: { 'a.md': 'x' } });
    expect(await call('fs.apply_patch', { path: 'a.md', patches: { line: 3 } })).toMatchObject({
      error: {
        message: expect.stringContaining('patches.0: expected {"operation":"replace","find"') as string,
      },
    });
  });

  it('[T211] that are valid are never changed', async () => {
    const { call } = await createToolRig({ project: { 'a.md': '1\n2\n' } });
    const content = '{"text": "true", "n": "3"}';
    expect(await call('fs.write', { path: 'b.json', content })).toMatchObject({ ok: true });
    expect(await call('fs.read', { path: 'b.json' })).toMatchObject({ content: `1:${content}` });
    expect(codeOf(await call('fs.read', { path: 'a.md', color: 'red' }))).toBe('TOOL_ARGS_INVALID');
  });
});

describe('files that are not there', () => {
  it('[T211] are answered with the nearest names or folder, and never with a folder that is missing', async () => {
    const { call } = await createToolRig({ project: { 'docs/prd.md': 'x', 'README.md': 'x' } });
    expect(await call('fs.read', { path: '@project/docs/PRD.txt' })).toMatchObject({
      error: {
        code: 'ENOENT',
        message: expect.stringContaining('Nearest: "@project/docs/prd.md"') as string,
      },
    });
    expect(await call('fs.read', { path: '@project/docs/a/b/c.md' })).toMatchObject({
      error: { message: expect.stringContaining('The nearest folder is "@project/docs"') as string },
    });
    expect(await call('fs.read', { path: '@pkg/data/methods.csv' })).toMatchObject({
      error: {
        code: 'ENOENT',
        message: expect.stringContaining(
          'The package does not have this file: "@pkg/data/methods.csv". Do this part without it and tell the user.',
        ) as string,
      },
    });
  });

  it('[T211] do not reveal hidden names', async () => {
    const { call } = await createToolRig({ project: { '.secrets.md': 'x' } });
    const result = await call('fs.read', { path: '@project/secrets.md' });
    expect(JSON.stringify(result)).not.toContain('.secrets');
  });
});

it('[T211] a state document that is written by hand, wrongly, is answered with the tool to use', async () => {
  const { call, stateText } = await createToolRig();
  const before = await stateText();
  const content = '---\ncurrentNodeId: nowhere\n---\n';
  expect(await call('fs.write', { path: '@state/workflow.md', content })).toMatchObject({
    error: { message: expect.stringContaining('Use runtime_complete_node.') as string },
  });
  expect(await stateText()).toBe(before);
});
