import { describeField, fieldAt } from '@crewagent/protocol/describe-fields';
import { modelSettingsSchema } from '@crewagent/protocol/model';
import { settingsSchema } from '@crewagent/protocol/settings';
import * as z from '@crewagent/protocol/zod';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParsedField, parseForm, parseTyped, toTyped, toTypedValues, unitOf } from './typed-values.ts';

const SETTINGS = describeField(settingsSchema);

function parse(path: string, text: string): ParsedField | undefined {
  const field = fieldAt(SETTINGS, path.split('.'));
  return field && parseTyped(field, text, unitOf(path)?.factor);
}

const TURNS = 'limits.maxTurns';
const SIZE = 'tools.fs.maxReadBytes';

describe('a typed value', () => {
  it.each([
    ['', TURNS, { kind: 'blank' }],
    ['  ', TURNS, { kind: 'blank' }],
    ['7', TURNS, { kind: 'value', value: 7 }],
    ['1,234,567', 'limits.maxTokens', { kind: 'value', value: 1_234_567 }],
    ['0.5', 'limits.maxCostUsd', { kind: 'value', value: 0.5 }],
    ['512', SIZE, { kind: 'value', value: 524_288 }],
    ['0.5', SIZE, { kind: 'value', value: 512 }],
    ['90', 'tools.toolTimeoutMs', { kind: 'value', value: 90_000 }],
    ['0', 'limits.maxCostUsd', { kind: 'wrong' }],
    ['0', TURNS, { kind: 'wrong' }],
    ['2.5', TURNS, { kind: 'wrong' }],
    ['-3', TURNS, { kind: 'wrong' }],
    ['1e9', TURNS, { kind: 'wrong' }],
    ['Infinity', TURNS, { kind: 'wrong' }],
    ['many', TURNS, { kind: 'wrong' }],
    ['99999999999999999999', TURNS, { kind: 'wrong' }],
    [' out ', 'tools.artifactsDir', { kind: 'value', value: 'out' }],
    [
      'salaries*\n\n  *.private ',
      'tools.fs.secretPatterns',
      { kind: 'value', value: ['salaries*', '*.private'] },
    ],
  ] as const)('[U87] %j for %s', (text, path, expected) => {
    expect(parse(path, text)).toEqual(expected);
  });

  it('[U87] round-trips through the displayed text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (value) => {
        expect(parse(TURNS, String(toTyped(value)))).toEqual({ kind: 'value', value });
        const bytes = value * 1024;
        expect(parse(SIZE, String(toTyped(bytes, 1024)))).toEqual({ kind: 'value', value: bytes });
      }),
    );
  });

  it('[U87] is a whole number or invalid, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const parsed = parse(TURNS, text);
        if (parsed?.kind === 'value') expect(Number.isSafeInteger(parsed.value)).toBe(true);
      }),
    );
  });

  it('of a record has one name and value per line', () => {
    const field = describeField(z.record(z.string(), z.string()));
    expect(parseTyped(field, 'TOKEN = a=b\nX-Y=2')).toEqual({
      kind: 'value',
      value: { TOKEN: 'a=b', 'X-Y': '2' },
    });
    for (const text of ['TOKEN', '=x', 'A=1\n2=b'])
      expect(parseTyped(field, text)).toEqual({ kind: 'wrong' });
  });
});

describe('a form', () => {
  const shape = describeField(modelSettingsSchema);

  it('is the value of its schema; what is blank is left out', () => {
    const settings = {
      provider: 'generic',
      model: 'm',
      temperature: 0.2,
      prices: { input: 1, output: 0.0375 },
    };
    expect(parseForm(shape, toTypedValues(shape, settings))).toEqual({ ok: true, value: settings });
  });

  it('says which fields are missing or wrong', () => {
    const typed = {
      ...toTypedValues(shape, {}),
      provider: 'openai',
      temperature: 'hot',
      'prices.input': '1',
    };
    expect(parseForm(shape, typed)).toEqual({
      ok: false,
      issues: { model: 'missing', temperature: 'wrong', 'prices.output': 'missing' },
    });
  });

  it('names the list that has a wrong entry', () => {
    const list = describeField(z.strictObject({ names: z.array(z.string().check(z.maxLength(2))) }));
    expect(parseForm(list, { names: 'a\nlong' })).toEqual({ ok: false, issues: { names: 'wrong' } });
  });
});
