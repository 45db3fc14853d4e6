import { hasInvisible } from '@crewagent/protocol/plain-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Styler } from '../../terminal.ts';
import { shownCells } from '../text/wrap.ts';
import { createMarkdownStream } from './markdown-stream.ts';

const named: Styler = (name, text) => `<${name}>${text}</${name}>`;
const plain: Styler = (_, text) => text;

function render(pieces: readonly string[], { style = plain, width = 40 } = {}): string {
  const stream = createMarkdownStream({ style, width, indent: '' });
  return (pieces.map((piece) => stream.push(piece)).join('') + stream.end()).trimEnd();
}

describe('a reply in Markdown', () => {
  it('[C13] is rendered: headings, emphasis, lists, links, quotes', () => {
    const text = [
      '# Plan',
      '',
      'Some **bold** and *soft* `code`, [a link](https://a.example/x) &amp; more.',
      '',
      '- one',
      '  - two',
      '- [x] done',
      '',
      '> said',
      '',
      '---',
    ].join('\n');
    expect(render([text], { style: named, width: 200 })).toBe(
      [
        '<cyan><bold>Plan</bold></cyan>',
        '',
        'Some <bold>bold</bold> and <italic>soft</italic> <cyan>code</cyan>, <underline>a link</underline> <dim>(https://a.example/x)</dim> & more.',
        '',
        '<cyan>• </cyan>one',
        '  <cyan>• </cyan>two',
        '<cyan>☑ </cyan>done',
        '',
        '<dim>│</dim> said',
        '',
        `<dim>${'─'.repeat(40)}</dim>`,
      ].join('\n'),
    );
  });

  it('[C13] colours code, line by line as it arrives, and leaves it as it is otherwise', () => {
    const stream = createMarkdownStream({ style: named, width: 40, indent: '  ' });
    expect(stream.push('Look:\n```ts\nconst a = "x"; // one\n')).toBe(
      '  Look:\n\n    <magenta>const</magenta> a = <green>"x"</green>; <dim>// one</dim>\n',
    );
    expect(stream.push('  **b**\n')).toBe('      **b**\n');
    expect(stream.push('```\nDone.\n') + stream.end()).toBe('\n  Done.\n');
  });

  it('[C4] fits tables and Chinese text to the width', () => {
    const text = [
      '| Name | What it does |',
      '|---|---:|',
      '| alpha | It explains at length what alpha is for |',
      '| 名称 | 说明文字比较长，需要换行显示才能放下 |',
    ].join('\n');
    const lines = render([text], { width: 30 }).split('\n');
    expect(Math.max(...lines.map(shownCells))).toBeLessThanOrEqual(30);
    expect(lines[0]).toBe('Name  │           What it does');
    expect(lines.join(' ')).toContain('alpha');
  });

  it('[C13] prints a block when it is complete', () => {
    const stream = createMarkdownStream({ style: plain, width: 40, indent: '' });
    expect(stream.push('First li')).toBe('');
    expect(stream.push('ne\nand more\n')).toBe('');
    expect(stream.push('\n- a\n')).toBe('First line and more\n');
    expect(stream.push('- b\n\n')).toBe('');
    expect(stream.push('Last') + stream.end()).toBe('\n• a\n• b\n\nLast\n');
  });

  it('[C4] contains no control characters, whatever the reply contains and wherever it is cut', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '\u001b[2J',
        '&#27;',
        '&#x9b;',
        '\r',
        '\n',
        '\n\n',
        '```\n',
        '- ',
        '> ',
        '|a|b|\n|-|-|\n',
        '**',
        '\t',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        for (const shown of [render([pieces.join('')]), render(pieces)])
          expect(shown.split('\n').some(hasInvisible)).toBe(false);
      }),
    );
  });

  it.each([
    ['quotes', '> '.repeat(20_000)],
    ['lists', '- '.repeat(20_000)],
    ['emphasis', '*a'.repeat(20_000)],
    ['brackets', '['.repeat(20_000)],
    ['one line', 'x'.repeat(100_000)],
  ])('[C4] of many %s is plain text', (_, text) => {
    expect(render([`${text}\n\nEnd.\n`]).slice(-6)).toMatch(/\nEnd\.$/);
  });
});
