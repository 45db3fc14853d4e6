import { expect, it } from 'vitest';
import type { OutputStream } from '../host-process.ts';
import { createScreen } from './screen.ts';
import { toTable } from './table.ts';
import { cellsOf } from './text/cells.ts';

const row = {
  cells: ['16b1ac7a', '✔ completed', 'hello-branch · Hello, branch', 'larder', 'just now'],
  styles: [],
};

it('a table fits the terminal: the widest columns give way', () => {
  const [wide = ''] = toTable([row], [8, 20, 60, 20, 20], undefined);
  expect(wide).toContain('hello-branch · Hello, branch  larder  just now');
  const [narrow = ''] = toTable([row], [8, 20, 60, 20, 20], 60);
  expect(cellsOf(narrow)).toBeLessThanOrEqual(60);
  expect(narrow).toMatch(/^16b1ac7a {2}✔ completed {2}hello-branch ·.*… {2}larder {2}just now$/);
});

it('the width of lines is that of the terminal now', () => {
  const stream = { isTTY: true, columns: 80, write: () => true };
  const screen = createScreen({}, stream as unknown as OutputStream);
  expect(screen.width).toBe(80);
  stream.columns = 60;
  expect(screen.width).toBe(60);
});
