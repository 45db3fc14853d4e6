import { describe, expect, it } from 'vitest';
import { toSegmentEdges } from './segment-edges.ts';
import { splitSteps } from './split-steps.ts';

function edgesOf(text: string): string[] {
  const { steps } = splitSteps(text) ?? { steps: [] };
  const nodes = steps.map((segment) => ({
    id: segment.number,
    segment,
    file: 'a.md',
    line: segment.line + 1,
  }));
  const { edges, dropped } = toSegmentEdges(nodes);
  return [...edges, ...dropped].map(({ from, to, label }) => `${from} -${label}> ${to}`);
}

const phases = (...texts: string[]): string =>
  texts.map((text, index) => `## Phase ${index + 1}: Part\n\n${text}\n`).join('\n');

describe('edges between the steps of one text', () => {
  it.each([
    ['If it fails: return to Phase 1.', '3 -goto-1> 1'],
    ['Did it work? No → Phase 2', '3 -goto-2> 2'],
    ['If issues are found, loop back to Phase 2.', '3 -goto-2> 2'],
  ])('[Z11] "%s" is an edge', (text, edge) => {
    expect(edgesOf(phases('a', 'b', text))).toEqual(['1 -next> 2', '2 -next> 3', edge]);
  });

  it.each([["Don't proceed to Phase 3."], ['Go back to step 1 of the list.'], ['```\nGo to Phase 1\n```']])(
    '[Z11] "%s" is none',
    (text) => {
      expect(edgesOf(phases('a', text, 'c', 'd'))).toEqual(['1 -next> 2', '2 -next> 3', '3 -next> 4']);
    },
  );

  it('[Z11] what follows a loop without a condition stays reachable', () => {
    expect(edgesOf(phases('a', 'Fix it and go back to Phase 1.', 'c'))).toEqual([
      '1 -next> 2',
      '2 -goto-1> 1',
      '2 -next> 3',
    ]);
  });

  it('[Z11] what only a jump skips stays reachable', () => {
    expect(edgesOf(phases('If it is short:\n\nSkip to Phase 3.', 'b', 'c'))).toEqual([
      '1 -goto-3> 3',
      '1 -next> 2',
      '2 -next> 3',
    ]);
  });

  it('[Z10] steps with names are steps; [Z11] a name after a verb is a jump, an arrow to an exit an end', () => {
    const step = (name: string, text: string): string => `<step name="${name}">\n${text}\n</step>\n`;
    const text =
      step('read_plan', 'If there is none → exit') +
      step('ask_mode', 'If quick: skip to `write_file`.') +
      step('group', 'Group.') +
      step('write_file', 'Write.');
    expect(splitSteps(text)?.steps.map(({ title }) => title)).toEqual([
      'Read plan',
      'Ask mode',
      'Group',
      'Write file',
    ]);
    expect(edgesOf(text)).toEqual([
      '1 -next> 2',
      '1 -exit> end-exit',
      '2 -goto-4> 4',
      '2 -next> 3',
      '3 -next> 4',
    ]);
  });
});
