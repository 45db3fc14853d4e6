import type { ListMessage, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { toStatus } from '@crewagent/protocol/status';
import { isWaiting } from '@crewagent/protocol/work-position';
import { describe, expect, it } from 'vitest';
import { addListMessage, attentionOf, shownPhase } from './work-list.ts';

function listed(workId: string, updatedAt: string): ListMessage {
  const createdAt = '2026-01-01T00:00:00.000Z';
  const data = { workId, projectId: 'p', title: '', kind: 'chat', phase: 'Running' } as const;
  return { type: 'work', data: { ...data, createdAt, updatedAt } };
}

describe('the list of works', () => {
  it('[U40] contains each conversation once, sorted by the last message', () => {
    const messages = [listed('a', '1'), listed('b', '2'), listed('a', '3'), listed('c', '0')];
    const list = messages.reduce(addListMessage, addListMessage(undefined, messages[0] ?? listed('a', '1')));
    expect(list.works.map(({ workId }) => workId)).toEqual(['a', 'b', 'c']);
    const removed = addListMessage(list, { type: 'work.removed', data: { workId: 'a' } });
    expect(removed.works.map(({ workId }) => workId)).toEqual(['b', 'c']);
  });

  it.each([
    ['question', false, 1],
    ['approval', false, 1],
    ['reply', false, 0],
    ['reply', true, 1],
    [undefined, true, 0],
    ['stopped', true, 0],
    ['interrupted', false, 1],
    ['ENGINE_MAX_TURNS_EXCEEDED', true, 1],
    ['LLM_TIMEOUT', true, 1],
  ] as const)('[U243] %s, with an incomplete workflow %s: %i need attention', (code, hasRun, count) => {
    const { data } = listed('a', '1');
    const work = {
      ...(data as WorkSummary),
      phase: 'WaitingUser' as const,
      ...(code === undefined ? {} : { reason: { code, message: '' } }),
      ...(hasRun ? { activeRunId: 'r' } : {}),
    };
    expect(attentionOf({ works: [work], damaged: [] })).toHaveLength(count);
    const archived = { ...work, archivedAt: '2026-01-02T00:00:00.000Z' };
    expect(attentionOf({ works: [archived], damaged: [] })).toHaveLength(0);
  });

  it.each([
    ['Running', undefined, false, false],
    ['WaitingUser', 'reply', false, false],
    ['WaitingUser', 'question', true, false],
    ['WaitingUser', 'approval', true, false],
    ['WaitingUser', 'interrupted', true, true],
    ['WaitingUser', 'stopped', false, true],
    ['WaitingUser', 'LLM_TIMEOUT', true, true],
    ['Failed', 'STATE_DAMAGED', true, true],
    ['Completed', undefined, false, false],
  ] as const)('[U40] %s because of %s: waiting %s, resumable %s', (phase, code, waits, resumes) => {
    const reason = code === undefined ? undefined : { code, message: '' };
    expect([isWaiting({ phase, reason }), toStatus({ phase, reason }).canResume]).toEqual([waits, resumes]);
  });

  it.each([
    ['Running', undefined, 'Running', 'Running', false],
    ['WaitingUser', undefined, 'Ready', 'WaitingUser', true],
    ['WaitingUser', 'reply', 'Ready', 'WaitingUser', true],
    ['WaitingUser', 'question', 'WaitingUser', 'WaitingUser', true],
    ['WaitingUser', 'stopped', 'Stopped', 'Stopped', true],
    ['WaitingUser', 'rewound', 'WaitingUser', 'WaitingUser', true],
    ['WaitingUser', 'interrupted', 'CutOff', 'CutOff', true],
    ['WaitingUser', 'LLM_TIMEOUT', 'Problem', 'Problem', true],
    ['WaitingUser', 'ENGINE_BUDGET_EXCEEDED', 'Limit', 'Limit', true],
    ['Failed', 'STATE_DAMAGED', 'Failed', 'Failed', true],
    ['Completed', undefined, 'Completed', 'Completed', false],
  ] as const)(
    '[U40] %s because of %s: a thread is %s, a workflow %s',
    (phase, code, ofThread, ofWork, waits) => {
      const position = { phase, reason: code === undefined ? undefined : { code, message: '' } };
      const workflow = { ...position, workflow: { ref: 'w', title: 'W' } };
      const inWorkflow = { ...position, activeRunId: 'r' };
      expect([position, workflow, inWorkflow].map((each) => shownPhase(each))).toEqual([
        ofThread,
        ofWork,
        ofWork,
      ]);
      expect([workflow, inWorkflow].map(isWaiting)).toEqual([waits, waits]);
    },
  );

  it.each([
    [undefined, true, 'NotStarted'],
    [undefined, false, 'WaitingUser'],
    ['question', true, 'WaitingUser'],
    ['stopped', true, 'Stopped'],
  ] as const)(
    '[U40] a workflow that waits because of %s, driven by workers %s, is %s',
    (code, startsElsewhere, shown) => {
      const reason = code === undefined ? undefined : { code, message: '' };
      const work = { phase: 'WaitingUser', reason, activeRunId: 'r' } as const;
      expect(shownPhase(work, startsElsewhere)).toBe(shown);
      expect(shownPhase({ phase: 'WaitingUser' }, startsElsewhere)).toBe('Ready');
    },
  );
});
