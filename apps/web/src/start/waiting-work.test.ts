import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { describe, expect, it } from 'vitest';
import { toWaitingWork } from './waiting-work.ts';

const times = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };

function run(change: Partial<WorkSummary>): WorkSummary {
  return {
    workId: 'r',
    projectId: 'p',
    kind: 'workflow',
    title: 'W',
    run: {
      package: { name: 'n', version: '1.0.0', hash: 'h' },
      workflow: { ref: 'w', title: 'W' },
      activeAgentId: 'a',
      model: { kind: 'rehearsal' },
    },
    phase: 'WaitingUser',
    reason: { code: 'interrupted', message: '' },
    ...times,
    ...change,
  };
}

function conversation(change: Partial<WorkSummary>): WorkSummary {
  const { run: _, ...work } = run({ workId: 'c', title: '', reason: { code: 'question', message: '' } });
  return { ...work, ...change };
}

describe('waiting Works', () => {
  it('[U243] are conversations and runs without one; archived ones do not wait', () => {
    const list = {
      works: [
        run({ workId: 'bare', updatedAt: '2026-01-03T00:00:00.000Z' }),
        conversation({ workId: 'asks', activeRunId: 'own', updatedAt: '2026-01-02T00:00:00.000Z' }),
        conversation({ workId: 'away', archivedAt: '2026-01-02T00:00:00.000Z' }),
        conversation({ workId: 'replied', reason: { code: 'reply', message: '' } }),
        run({ workId: 'own', parentId: 'asks' }),
        run({ workId: 'child', parentId: 'bare' }),
        run({ workId: 'done', phase: 'Completed' }),
      ],
      damaged: [],
    };
    const waiting = toWaitingWork(list);
    expect(waiting.map(({ work }) => work.workId)).toEqual(['bare', 'asks']);
    expect(waiting[1]?.run?.workId).toBe('own');
  });

  it('[V28] include every left run', () => {
    const stopped = { reason: { code: 'stopped', message: '' } } as const;
    const list = {
      works: [
        conversation({
          workId: 'conversation',
          reason: { code: 'reply', message: '' },
          activeRunId: 'third',
        }),
        run({ workId: 'first', parentId: 'conversation', ...stopped, updatedAt: '2026-01-03T00:00:00.000Z' }),
        run({ workId: 'second', parentId: 'conversation', updatedAt: '2026-01-04T00:00:00.000Z' }),
        run({ workId: 'third', parentId: 'conversation' }),
        run({ workId: 'fourth', parentId: 'conversation', phase: 'Completed' }),
        conversation({ workId: 'away', archivedAt: '2026-01-02T00:00:00.000Z' }),
        run({ workId: 'fifth', parentId: 'away', ...stopped }),
      ],
      damaged: [],
    };
    expect(toWaitingWork(list).map(({ work, run: of }) => [work.workId, of?.workId])).toEqual([
      ['second', 'second'],
      ['first', 'first'],
      ['conversation', 'third'],
    ]);
  });
});
