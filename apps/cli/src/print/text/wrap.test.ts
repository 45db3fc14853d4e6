import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shownCells, wrapLine } from './wrap.ts';

it('[C4] wraps between words with the indent of the line; a key such as Ctrl-D stays whole', () => {
  expect(wrapLine('  Type /help for commands, Ctrl-D to leave.', 32)).toEqual([
    '  Type /help for commands,',
    '  Ctrl-D to leave.',
  ]);
  expect(wrapLine('  model   one two three', 16)).toEqual([
    '  model   one',
    '          two',
    '          three',
  ]);
  expect(wrapLine('? What should it use', 12)).toEqual(['? What', '  should it', '  use']);
  expect(wrapLine('a b', undefined)).toEqual(['a b']);
  expect(wrapLine('averylongword b', 4)).toEqual(['averylongword', 'b']);
  const command = '  continue  crewagent agent /a/long/path --continue ac1e';
  expect(wrapLine(command, 20)).toEqual([command]);
});

it('[C4] counts wide characters twice, colours not at all, and keeps closing punctuation with its word', () => {
  expect(wrapLine('你好，世界。再见', 8)).toEqual(['你好，世', '界。再见']);
  expect(wrapLine('你好世界。', 8)).toEqual(['你好世', '界。']);
  expect(wrapLine('\u001b[1mone\u001b[22m two', 7)).toEqual(['\u001b[1mone\u001b[22m two']);
  expect(shownCells('\u001b[1m你\u001b[22m')).toBe(2);
});

it('loses nothing but spaces, and no line of several words is too wide', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 40 }), (text, width) => {
      const line = text.replaceAll(/\s|\p{C}/gu, ' ');
      const lines = wrapLine(line, width);
      expect(lines.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
      for (const shown of lines)
        if (shown.trim().includes(' ')) expect(shownCells(shown.trimEnd())).toBeLessThanOrEqual(width);
    }),
  );
});
