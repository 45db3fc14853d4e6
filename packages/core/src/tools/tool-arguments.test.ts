import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeOf, createToolRig } from '../testing/rigs/tool-rig.ts';
import { readTree } from '../testing/temp-folder.ts';
import { parseToolArguments } from './tool-arguments.ts';

describe('arguments with a repeated key', () => {
  it.each([
    ['at the top level', '{"path":"a.md","content":"x","path":"b.md"}', 'path'],
    ['with the same value', '{"path":"a.md","path":"a.md","content":"x"}', 'path'],
    ['written with an escape', '{"path":"a.md","content":"x","p\\u0061th":"b.md"}', 'path'],
    ['nested', '{"path":"a.md","content":"x","extra":[{"k":1,"k":2}]}', 'k'],
    ['with blanks around the colon', '{"path" : "a.md","content":"x","path"\n:\n"b.md"}', 'path'],
  ])('[T22] are rejected and nothing is done: %s', async (_, args, key) => {
    const { call, project } = await createToolRig();
    const result = await call('fs.write', args);
    expect(result).toMatchObject({
      error: {
        code: 'TOOL_ARGS_INVALID',
        message: expect.stringContaining(`the key "${key}" twice`) as string,
      },
    });
    expect(await readTree(join(project))).toEqual({});
  });

  it('[T22] are accepted if the key is only part of a text, or in another object', async () => {
    const { call } = await createToolRig();
    const content = '{"path":"x","path":"y"} "path": "z" \\" \\\\';
    const text = JSON.stringify({ path: 'a.md', content });
    expect(await call('fs.write', text)).toMatchObject({ ok: true, path: '@project/a.md' });
    const both = {
      path: 'a.md',
      patches: [
        { find: 'x', replace: 'p' },
        { find: 'z', replace: 'q' },
      ],
    };
    expect(await call('fs.apply_patch', both)).toMatchObject({ ok: true });
  });

  it('[T22] reads any other JSON object as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const parsed = parseToolArguments(text);
        if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(text));
        else expect(parsed.reason).toContain('__proto__');
      }),
    );
  });

  it('[T22] are detected at any depth', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), fc.jsonValue(), fc.boolean(), (key, one, other, isEscaped) => {
        const name = JSON.stringify(key);
        const units = Array.from({ length: key.length }, (_, at) => key.charCodeAt(at));
        const escaped = `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
        const again = isEscaped ? escaped : name;
        const pair = `{${name}:${JSON.stringify(one)},"other key":1,${again}:${JSON.stringify(other)}}`;
        for (const text of [pair, `{"deep":[[{"in":${pair}}]]}`])
          expect(parseToolArguments(text)).toMatchObject({ ok: false, code: 'TOOL_ARGS_INVALID' });
      }),
    );
  });
});

describe('deeply nested arguments', () => {
  const nest = (levels: number, isList: boolean): string =>
    isList ? `${'['.repeat(levels)}${']'.repeat(levels)}` : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  it.each([
    ['fs.write', (value: string) => `{"path":"a.md","content":${value}}`],
    ['fs.apply_patch', (value: string) => statePatch(value)],
    ['runtime.update_state', (value: string) => `{"patch":{"variables":{"set":{"a":${value}}}}}`],
    ['runtime.complete_node', (value: string) => `{"nodeId":"step-01","variables":{"a":${value}}}`],
    [
      'ui.ask_user',
      (value: string) => `{"questions":[{"id":"a","prompt":"b","type":"form","schema":{"a":${value}}}]}`,
    ],
  ])('[T22] are rejected with the limit: %s', async (tool, toArguments) => {
    for (const levels of [65, 1_000, 100_000]) {
      for (const isList of [true, false]) {
        const { call, bugs, stateText } = await createToolRig({
          policy: { strictState: tool.startsWith('runtime') },
        });
        const before = await stateText();
        expect(await call(tool, toArguments(nest(levels, isList)))).toMatchObject({
          error: {
            code: 'TOOL_ARGS_INVALID',
            message: expect.stringContaining('more than 64 levels deep') as string,
          },
        });
        expect(bugs).toEqual([]);
        expect(await stateText()).toBe(before);
      }
    }
  });

  it('[T22] never cause an internal error, however deep they are', async () => {
    for (const levels of [1, 2, 15, 16, 17, 18, 40, 57, 58, 59, 60, 64, 70]) {
      for (const isList of [true, false]) {
        const { call, bugs, gate } = await createToolRig();
        const result = await call('fs.apply_patch', statePatch(nest(levels, isList)));
        expect(bugs).toEqual([]);
        if (levels > 8 && !result.ok) expect(result.error.message).toContain('64 levels');
        if (result.ok)
          expect((await gate.read()).state.variables.a).toEqual(JSON.parse(nest(levels, isList)));
        expect(result.ok).toBe(levels <= 58);
      }
    }
  });

  it('[T22] are also rejected in a state document', async () => {
    const { call, stateText } = await createToolRig();
    const before = await stateText();
    const content = before.replace('variables: {}', `variables: {a: ${nest(1_000, true)}}`);
    expect(await call('fs.write', { path: '@state/workflow.md', content })).toMatchObject({
      error: {
        code: 'E_INVALID_FRONTMATTER',
        message: expect.stringContaining('deeper than 64 levels') as string,
      },
    });
    expect(await stateText()).toBe(before);
  });

  function statePatch(value: string): string {
    return `{"path":"@state/workflow.md","patches":[{"operation":"updateFrontmatter","update":{"variables":{"set":{"a":${value}}}}}]}`;
  }
});

describe('names of Object.prototype members', () => {
  it.each([
    ['fs.apply_patch', '{"path":"@state/workflow.md","update":{"variables":{"set":{"__proto__":"x"}}}}'],
    [
      'fs.apply_patch',
      '{"path":"@state/workflow.md","update":{"variables":{"set":{"a":[{"__proto__":{}}]}}}}',
    ],
    [
      'fs.apply_patch',
      '{"path":"@state/workflow.md","update":{"decisionLog":{"append":[{"from":"a","to":"b","label":"c","__proto__":1}]}}}',
    ],
    [
      'fs.apply_patch',
      '{"path":"@state/workflow.md","update":{"variables":{"set":{"\\u005f_proto__":"x"}}}}',
    ],
    ['fs.read', '{"path":"a.md","__proto__":{"path":"b.md"}}'],
    ['ui.ask_user', '{"questions":[{"id":"a","prompt":"b","type":"form","schema":{"__proto__":{}}}]}'],
  ])('[T22] rejects __proto__ in arguments: %s %s', async (tool, args) => {
    const { call, stateText } = await createToolRig();
    const before = await stateText();
    expect(await call(tool, args)).toMatchObject({
      error: {
        code: 'TOOL_ARGS_INVALID',
        message: expect.stringContaining('named "__proto__"; choose another name') as string,
      },
    });
    expect(await stateText()).toBe(before);
  });

  it.each(['runtime.update_state', 'runtime.complete_node'])(
    '[T22] rejects __proto__ by %s',
    async (tool) => {
      const { call } = await createToolRig({ policy: { strictState: true } });
      const args =
        tool === 'runtime.update_state'
          ? '{"patch":{"variables":{"set":{"__proto__":"x"}}}}'
          : '{"nodeId":"step-01","variables":{"__proto__":"x"}}';
      expect(codeOf(await call(tool, args))).toBe('TOOL_ARGS_INVALID');
    },
  );

  it.each([
    'variables: {__proto__: x}',
    'variables:\n  __proto__: x',
    'variables: {"\\x5f_proto__": x}',
    'variables: {a: [{__proto__: {b: 1}}]}',
    'decisionLog: [{from: a, to: b, label: c, __proto__: d}]',
    'variables: {}\n__proto__: {variables: {a: 1}}',
  ])('[T22] rejects __proto__ in a state document: %s', async (yaml) => {
    const { call, stateText } = await createToolRig();
    const before = await stateText();
    const content = before
      .replace('variables: {}', yaml)
      .replace(/(decisionLog: \[{.*\n)decisionLog: \[\]\n/, '$1');
    expect(await call('fs.write', { path: '@state/workflow.md', content })).toMatchObject({
      error: {
        code: 'E_SCHEMA_VALIDATION',
        message: expect.stringContaining('cannot be named "__proto__"') as string,
      },
    });
    expect(await stateText()).toBe(before);
  });

  it('[T22] rejects __proto__ as id of a question, as its answer could not be stored', async () => {
    const { call } = await createToolRig();
    const args = { questions: [{ id: '__proto__', prompt: 'Which?', type: 'text' }] };
    expect(codeOf(await call('ui.ask_user', args))).toBe('TOOL_ARGS_INVALID');
  });

  it('[T22] accepts all other names', async () => {
    const names = ['constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];
    const set = Object.fromEntries(
      names.map((name) => [name, name === 'prototype' ? { constructor: [name] } : name]),
    );
    const { call, gate, facts, stateText } = await createToolRig();
    const patch = { path: '@state/workflow.md', update: { variables: { set } } };
    expect(await call('fs.apply_patch', patch)).toMatchObject({ ok: true });
    expect(Object.entries((await gate.read()).state.variables)).toEqual(Object.entries(set));
    expect(facts).toContainEqual(expect.objectContaining({ type: 'state.changed', variables: set }));
    const text = await stateText();
    for (const name of names) expect(text).toContain(`  ${name}:`);
    const again = { path: '@state/workflow.md', update: { variables: { set: { constructor: 'again' } } } };
    expect(await call('fs.apply_patch', again)).toMatchObject({ ok: true });
    expect((await gate.read()).state.variables).toEqual({ ...set, constructor: 'again' });
  });
});
