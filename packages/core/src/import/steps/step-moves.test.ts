import { describe, expect, it } from 'vitest';
import { findMoves } from './step-moves.ts';

function movesIn(body: string): string[] {
  const steps = new Map([
    ['./step-02-b.md', 'step-02-b'],
    ['./step-03-c.md', 'step-03-c'],
    ['./step-01b-continue.md', 'step-01b-continue'],
  ]);
  const moves = findMoves({
    file: 'a.md',
    body,
    bodyLine: 0,
    keys: [],
    resolveStep(written) {
      const to = steps.get(written);
      return to === undefined ? undefined : { to, isExact: true };
    },
  });
  return moves.map(({ to, label }) => `${label} → ${to}`);
}

describe('moves in prose', () => {
  const cases: [body: string, moves: string[]][] = [
    ['IF C: save, then read fully and follow: `./step-02-b.md`', ['C → step-02-b']],
    ["After the person selects 'Y', load ./step-02-b.md.", ['Y → step-02-b']],
    ['Move WHEN [C] was chosen and then follow: ./step-02-b.md', ['C → step-02-b']],
    ["#### If 'N' (No):\n\n- Write it down\n- Load `./step-03-c.md`", ['N → step-03-c']],
    ['- **[R] Resume:**\n  - Load by state:\n    - `[1]` → Load ./step-02-b.md', ['R → step-02-b']],
    ['- If `last = 2` → Load `./step-03-c.md`', ['last = 2 → step-03-c']],
    ['Without delay load ./step-02-b.md', ['next → step-02-b']],
    ['STOP and load `./step-01b-continue.md`', ['continue → step-01b-continue']],
    ['Proceed to ./step-02-b.md or go to ./step-03-c.md', ['next → step-02-b', 'next → step-03-c']],
    [
      '**If they have documents**:\n→ `./step-02-b.md`\n\n**Otherwise:**\n\n→ `./step-03-c.md`',
      ['they have documents → step-02-b', 'Otherwise → step-03-c'],
    ],
    ['- IF R: go back to `./step-02-b.md`', ['R → step-02-b']],
    ['[B] Back to ./step-02-b.md\n[S] Switch to ./step-03-c.md', ['B → step-02-b', 'S → step-03-c']],
    ['Do not load ./step-02-b.md yet', []],
    ['Example: load ./step-02-b.md', []],
    ['**Example:**\n\n- the last one is b\n- load `./step-02-b.md`', []],
    ['See ./step-02-b.md', []],
    ['Load ./other.md', []],
  ];
  it.each(cases)('[Z11] %j', (body, moves) => {
    expect(movesIn(body)).toEqual(moves);
  });
});
