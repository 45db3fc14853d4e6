import { describe, expect, it } from 'vitest';
import { parseAnchorBlocks, parseSubject } from './earlier-logs.ts';
import { toActionDirective, toRunNote, toScriptDirective, toStepFile } from './prompt-blocks.ts';
import { REWIND_NOTE } from './runtime-notes.ts';

describe('a message in a log of an earlier version', () => {
  const position =
    'RUN_DIRECTIVE\n- intent: start\n\nNODE_BRIEF\n- stepFile: @pkg/steps/a.md\n- variables: {}';
  const briefEnd = position.length;

  it('[P6] has the blocks that its text says', () => {
    const step = `${position}\n\n${toStepFile('steps/a.md', 'One.\n\nNODE_BRIEF\n- stepFile: @pkg/b.md')}`;
    const whole = { stepFile: 'steps/a.md', briefEnd, stepEnd: step.length };
    expect(parseAnchorBlocks(step)).toEqual(whole);
    expect(parseAnchorBlocks(`${step}\n\nRUNTIME_NOTE\nWait.`)).toEqual(whole);
    expect(parseAnchorBlocks(`${position}\n\nRUNTIME_NOTE\nWait.`)).toEqual({
      stepFile: 'steps/a.md',
      briefEnd,
    });
    expect(parseAnchorBlocks('RUN_DIRECTIVE\n- intent: start')).toBeUndefined();
  });

  it('[P6] has the subject that its text says', () => {
    expect(parseSubject(toScriptDirective('@pkg/s.md', 'start'))).toEqual({
      kind: 'script',
      path: '@pkg/s.md',
    });
    expect(parseSubject(toActionDirective('#a', 'Do it.'))).toEqual({ kind: 'action', name: '#a' });
    expect(parseSubject('DATA_CONTEXT\n- path: @project/d.csv\n- format: csv')).toMatchObject({
      kind: 'data',
      path: '@project/d.csv',
    });
    const outcome = { workflow: 'Plan', phase: 'Completed', currentNodeId: 'n', artifacts: [] };
    expect(parseSubject(toRunNote(outcome))).toEqual({ kind: 'run', workflow: 'Plan' });
    expect(parseSubject(REWIND_NOTE)).toEqual({ kind: 'rewind' });
    expect(parseSubject('Anything else.')).toBeUndefined();
  });
});
