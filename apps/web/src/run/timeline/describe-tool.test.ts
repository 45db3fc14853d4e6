import { toFileAction } from '@crewagent/protocol/described-actions';
import type { ToolItem } from '@crewagent/protocol/story/items';
import { describe, expect, it } from 'vitest';
import { DIFF } from '../../testing/made-events.ts';
import { changeOf, writtenOf } from './describe-tool.ts';

const write: ToolItem = {
  seq: 1,
  ts: '',
  kind: 'tool',
  callId: 'c',
  name: 'fs.write',
  arguments: JSON.stringify({ path: '@project/docs/plan.md', content: 'One.\nTwo.\n' }),
  path: '@project/docs/plan.md',
  status: 'ok',
  durationMs: 3,
  answer: JSON.stringify({ ok: true, bytesWritten: 10 }),
  effect: { kind: 'written', path: '@project/docs/plan.md' },
};

describe('the change of a call', () => {
  it('[U16] is counted from the known diff', () => {
    const patch = {
      ...write,
      effect: { kind: 'patched', path: '@project/docs/plan.md', diff: DIFF } as const,
    };
    expect(changeOf(patch)).toMatchObject({ added: 4, removed: 2 });
    const action = toFileAction('fs.write', '@project/docs/plan.md', DIFF, 'written');
    const allowed = { ...write, approval: { action, decision: 'once' as const, note: undefined } };
    expect(changeOf(allowed)).toMatchObject({ added: 4, removed: 2 });
  });

  it('[U16] is not invented for a file that may have existed before', () => {
    expect(changeOf(write)).toBeUndefined();
    expect(writtenOf(write)).toBe('One.\nTwo.\n');
  });
});
