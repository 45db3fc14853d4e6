import { findInputIssue, parseInputText, toInputsChange } from '@crewagent/protocol/input-answers';
import type { TypedInput } from '@crewagent/protocol/typed-inputs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveInputs, toInputVariables } from './resolve-inputs.ts';

const input = (name: string, more: Partial<TypedInput> = {}): TypedInput => ({
  name,
  prompt: `${name}?`,
  type: 'text',
  scope: 'project',
  ...more,
});
const LEVELS = [
  { value: 'new', label: 'New to gardens' },
  { value: 'old', label: 'Old hand' },
];
const LEVEL = input('level', { type: 'choice', choices: LEVELS, default: 'new', scope: 'person' });
const none = { person: {}, projects: {} };

describe('values of typed inputs', () => {
  it('[A62] are the stored answer, else what the runtime knows, else the default', () => {
    const inputs = [
      LEVEL,
      input('user_name', { default: 'Somebody' }),
      input('soil', { default: 'clay' }),
      input('bed'),
    ];
    const sources = { answers: none, projectId: 'p', known: { user_name: 'Mira' } };
    expect(resolveInputs(inputs, sources).map(({ value, source }) => [value, source])).toEqual([
      ['new', 'default'],
      ['Mira', 'known'],
      ['clay', 'default'],
      [undefined, 'none'],
    ]);
    const answers = {
      person: { level: 'old' },
      projects: { p: { soil: 'sand', user_name: 'M' }, q: { bed: 'x' } },
    };
    expect(toInputVariables(resolveInputs(inputs, { ...sources, answers }))).toEqual({
      level: 'old',
      user_name: 'M',
      soil: 'sand',
    });
  });

  it('[A62] an answer that is not among the choices any more counts as none', () => {
    const answers = { person: { level: 'expert' }, projects: {} };
    expect(resolveInputs([LEVEL], { answers, projectId: undefined, known: {} })).toMatchObject([
      { value: 'new', source: 'default' },
    ]);
  });

  it('[A62] names in braces are values of other inputs; a cycle ends', () => {
    const inputs = [
      input('home', { type: 'path', default: 'results' }),
      input('plans', { type: 'path', default: '{project-root}/{home}/plans' }),
      input('title', { default: 'Plan of {directory_name} in {elsewhere}' }),
      input('loop', { default: '{loop}{loop}' }),
    ];
    const answers = { person: {}, projects: { p: { home: 'docs' } } };
    const values = toInputVariables(
      resolveInputs(inputs, { answers, projectId: 'p', known: { directory_name: 'yard' } }),
    );
    expect(values).toMatchObject({ home: 'docs', plans: 'docs/plans', title: 'Plan of yard in {elsewhere}' });
    expect(String(values.loop).length).toBeLessThanOrEqual(4_000);
  });

  it.each([
    ['text', '', 'must not be empty'],
    ['path', '../outside', 'must be a path inside the project'],
    ['path', '/etc', 'must be a path inside the project'],
    ['path', 'C:\\x', 'must be a path inside the project'],
    ['confirm', 'yes', 'must be yes or no'],
    ['choice', 'both', 'must be "new" or "old"'],
    ['multi', ['new', 'x'], 'must be "new" or "old", any number of them'],
  ] as const)('[A62] %s does not accept %j', (type, value, issue) => {
    const choices = type === 'choice' || type === 'multi' ? { choices: LEVELS } : {};
    expect(findInputIssue(input('x', { type, ...choices }), value as string)).toBe(issue);
  });

  it('[A62] typed text is a value, a label, a number or the beginning of a label', () => {
    expect(['old', '2', 'Old hand', 'old h'].map((text) => parseInputText(LEVEL, text))).toEqual(
      Array(4).fill('old'),
    );
    expect(parseInputText({ ...LEVEL, type: 'multi' }, '1, 2')).toEqual(['new', 'old']);
    expect(parseInputText(input('x', { type: 'confirm' }), 'yes')).toBe(true);
  });

  it('[A62] an answer is stored where its scope says', () => {
    const change = toInputsChange([LEVEL, input('soil')], { level: 'old', soil: null, other: 'x' }, 'p');
    expect(change).toEqual({ person: { level: 'old' }, projects: { p: { soil: null } } });
  });

  it('[A62] any defaults and answers give bounded values', () => {
    const text = fc.stringMatching(/^[a-c{}/.-]{0,40}$/);
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        const inputs = [
          input('a', { default: a }),
          input('b', { default: b, type: 'path' }),
          input('c', { default: c }),
        ];
        for (const { value } of resolveInputs(inputs, { answers: none, projectId: 'p', known: { a: b } }))
          expect(String(value ?? '').length).toBeLessThanOrEqual(4_000);
      }),
    );
  });
});
