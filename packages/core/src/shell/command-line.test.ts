import { commandPrefixSchema } from '@crewagent/protocol/shell';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isAllowedBy, toCommandLine } from './command-line.ts';

it.each([
  ['npm test', true],
  ['npm test -- --run a/b.test.ts', true],
  ['npm  test', true],
  ['npm testing', false],
  ['npm', false],
  ['npm test; rm -rf .', false],
  ['npm test && rm x', false],
  ['npm test $(rm x)', false],
  ['npm test `rm x`', false],
  ['npm test > package.json', false],
  ['npm test | sh', false],
  ['npm test\nrm x', false],
  ['npm test "a"', false],
  ['npm test *', false],
  ['npm test ~', false],
  ['npm test #', false],
  ['NODE_OPTIONS=--require=./x npm test', false],
  ['NPM=1 npm test', false],
])('[T73] a rule for "npm test" on the line %j: %s', (command, isAllowed) => {
  expect(isAllowedBy(['npm test'], { command })).toBe(isAllowed);
});

it('[T73] a line that a rule allows has no character that a shell interprets', () => {
  fc.assert(
    fc.property(fc.string(), (rest) => {
      if (isAllowedBy(['npm test'], { command: `npm test ${rest}` }))
        expect(rest).toMatch(/^[\w@%+=:,./ -]*$/);
    }),
  );
});

it('[T73] arguments of a program are compared as they are', () => {
  expect(isAllowedBy(['npm test'], { command: 'npm', args: ['test', '; rm x'] })).toBe(true);
  expect(isAllowedBy(['npm test'], { command: 'npm test', args: [] })).toBe(false);
  expect(isAllowedBy(['npm test'], { command: './npm', args: ['test'] })).toBe(false);
});

it('[T73] a rule names a program and more, if the program runs whatever it is given', () => {
  for (const rule of ['npm test', 'cargo', 'node --test', 'python3 -m pytest'])
    expect(commandPrefixSchema.safeParse(rule).success).toBe(true);
  for (const rule of ['', 'sh', '/bin/bash', 'env', 'node', 'npm test;', 'A=1 npm', 'echo $HOME'])
    expect(commandPrefixSchema.safeParse(rule).success).toBe(false);
});

it('[T74] a program with arguments is shown as the line that does the same', () => {
  expect(toCommandLine({ command: 'echo', args: ['a', "it's", '$(rm x)'] }, '')).toBe(
    `echo a 'it'\\''s' '$(rm x)'`,
  );
  expect(toCommandLine({ command: 'npm test' }, 'a b')).toBe(`cd 'a b' && npm test`);
});
