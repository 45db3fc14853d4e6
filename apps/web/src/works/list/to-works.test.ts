import type { WorkList } from '@crewagent/protocol/api/work-messages';
import { describe, expect, it } from 'vitest';
import { findWorks, toWorks } from './to-works.ts';

const conversation = (id: string, updatedAt: string, projectId = 'p') => ({
  conversationId: id,
  projectId,
  title: `Title ${id}`,
  kind: 'agent' as const,
  phase: 'WaitingUser' as const,
  createdAt: updatedAt,
  updatedAt,
});

const run = (
  runId: string,
  updatedAt: string,
  more: { conversationId?: string; parentRunId?: string } = {},
) => ({
  runId,
  projectId: 'p',
  package: { name: 'pantry', version: '1.0.0', hash: 'h' },
  workflow: { ref: 'workflow.md', title: `Workflow ${runId}` },
  activeAgentId: 'a',
  model: { kind: 'rehearsal' as const },
  phase: 'Failed' as const,
  createdAt: updatedAt,
  updatedAt,
  ...more,
});

const list: Pick<WorkList, 'conversations' | 'runs'> = {
  conversations: [conversation('c1', '2026-01-02'), conversation('c2', '2026-01-04', 'other')],
  runs: [
    run('r1', '2026-01-03'),
    run('r2', '2026-01-05', { conversationId: 'c1' }),
    run('r3', '2026-01-05', { parentRunId: 'r1' }),
  ],
};

describe('works', () => {
  it('[U78] are conversations and runs that belong to none, the latest first', () => {
    const works = toWorks(list, 'p', ({ title }) => title);
    expect(works.map(({ id, kind }) => [id, kind])).toEqual([
      ['r1', 'run'],
      ['c1', 'agent'],
    ]);
  });

  it('[U78] are found by words of their title and kind', () => {
    const works = toWorks(list, 'p', ({ title }) => title);
    const found = (text: string): readonly string[] =>
      findWorks(works, text, (kind) => (kind === 'run' ? 'Run' : 'Agent')).map(({ id }) => id);
    expect(found('')).toEqual(['r1', 'c1']);
    expect(found('WORK run')).toEqual(['r1']);
    expect(found('title agent')).toEqual(['c1']);
    expect(found('nothing like it')).toEqual([]);
  });
});
