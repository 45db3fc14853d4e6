import type { MenuEntry } from '@crewagent/protocol/commands';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeChoices, describeMenu } from './describe-menu.ts';
import { cellsOf } from './text/cells.ts';

const plain = { style: (_: string, text: string) => text, width: 40 };
const entry = (index: number, label: string, description: string, handlers: string[] = []): MenuEntry => ({
  index,
  label,
  description,
  handlers: handlers.map((text, at) => ({
    index,
    input: `${index}.${at + 1}`,
    label: `${index}.${at + 1}. ${text}`,
  })),
});

describe('describeMenu', () => {
  it('[C4] prints columns and wraps between words', () => {
    const menu = [
      entry(1, 'create-story', 'Write the next story of the sprint'),
      entry(2, 'go', 'Go', ['left', 'right']),
      entry(10, 'Only a description', 'Only a description'),
    ];
    expect(describeMenu(menu, { ...plain, width: 46 })).toEqual([
      '    1  create-story  Write the next story of',
      '                     the sprint',
      '    2  go            Go',
      '  2.1  left',
      '  2.2  right',
      '   10  Only a description',
    ]);
    expect(describeMenu(menu, { ...plain, width: 30 })).toEqual([
      '    1  create-story',
      '       Write the next story',
      '       of the sprint',
      '    2  go',
      '       Go',
      '  2.1  left',
      '  2.2  right',
      '   10  Only a description',
    ]);
  });

  it('[C4] counts a wide character as two cells', () => {
    const menu = [entry(1, '写故事', '写冲刺里的下一个用户故事并检查它的来源'), entry(2, 'ok', 'Fine')];
    const lines = describeMenu(menu, plain);
    expect(lines).toEqual([
      '  1  写故事  写冲刺里的下一个用户故事并',
      '             检查它的来源',
      '  2  ok      Fine',
    ]);
    expect(lines.every((line) => cellsOf(line) <= plain.width)).toBe(true);
    expect(['写', 'ﾊ', '⌚', '😀', 'e\u0301', '…'].map(cellsOf)).toEqual([2, 1, 2, 2, 1, 1]);
  });

  it('[C4] does not wrap without a terminal', () => {
    const text = 'word '.repeat(100).trim();
    expect(describeMenu([entry(1, 'a', text)], { ...plain, width: undefined })).toEqual([`  1  a  ${text}`]);
  });

  it('[C4] contains no control characters, whatever a package contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (label, description) => {
        const lines = describeMenu([entry(1, label, description, [label])], plain);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
        expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });

  it('[C4] prefixes choices with the number to type', () => {
    const candidates = [
      { index: 3, input: '3.1', label: '3.1. Left' },
      { index: 12, input: '12', label: '12. Right' },
    ];
    expect(describeChoices({ reason: 'Two items fit.', candidates }, plain)).toEqual([
      '  Two items fit.',
      '  3.1  Left',
      '   12  Right',
    ]);
  });
});

it('[C13] runs to resume have the numbers that choose them, and a suggested item has its sentence', () => {
  const style = (_: string, text: string): string => text;
  const options = { style, width: undefined };
  const runs = ['one', 'two'].map((name, at) => ({
    index: at + 1,
    label: `${at + 1}. ${name}`,
    input: `/resume 0199-${name}`,
  }));
  expect(describeChoices({ reason: 'Choose.', candidates: runs }, options)).toEqual([
    '  Choose the run to resume by its number.',
    '  1  one',
    '  2  two',
  ]);
  const entry = { index: 3, label: 'Check the story', input: '3' };
  expect(describeChoices({ reason: '', candidates: [entry] }, options)).toEqual([
    '  Suggested from the menu. Type its number to choose it:',
    '  3  Check the story',
  ]);
});
