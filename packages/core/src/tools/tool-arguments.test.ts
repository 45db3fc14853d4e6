import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTree } from '../testing/temp-folder.ts';
import { createToolRig } from '../testing/tool-rig.ts';
import { parseToolArguments } from './tool-arguments.ts';

describe('arguments with a key twice', () => {
  it.each([
    ['at the top', '{"path":"a.md","content":"x","path":"b.md"}', 'path'],
    ['with the same value', '{"path":"a.md","path":"a.md","content":"x"}', 'path'],
    ['written with an escape', '{"path":"a.md","content":"x","p\\u0061th":"b.md"}', 'path'],
    ['further down', '{"path":"a.md","content":"x","extra":[{"k":1,"k":2}]}', 'k'],
    ['with blanks around the colon', '{"path" : "a.md","content":"x","path"\n:\n"b.md"}', 'path'],
  ])('[T56] are refused and nothing is done: %s', async (_, args, key) => {
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

  it('[T56] are not seen where a text only looks like one, or in another object', async () => {
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

  it('[T56] any other JSON object is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (value, space) => {
        const text = JSON.stringify(value, null, space);
        const parsed = parseToolArguments(text);
        if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(text));
        else expect(parsed.reason).toContain('__proto__');
      }),
    );
  });

  it('[T56] are found wherever a key is repeated', () => {
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
