import type { ListMessage, WorkSummary } from '@crewagent/protocol/api/work-messages';
import { describe, expect, it } from 'vitest';
import { applyMessage, NO_WORKS, runningWorks, waitingWorks } from './follow-works.ts';

const summary = (fields: Partial<WorkSummary>): WorkSummary => ({
  workId: 'w',
  projectId: 'p',
  kind: 'workflow',
  title: 'A story',
  phase: 'Running',
  createdAt: '',
  updatedAt: '',
  ...fields,
});
const asking = { phase: 'WaitingUser', reason: { code: 'question' } } as Partial<WorkSummary>;
const snapshot = (...works: WorkSummary[]): ListMessage => ({
  type: 'snapshot',
  data: { works, damaged: [] },
});
const change = (fields: Partial<WorkSummary>): ListMessage => ({ type: 'work', data: summary(fields) });

describe('the list of Works', () => {
  it('[G20] notifies when a running Work asks, completes or fails', () => {
    const running = applyMessage(NO_WORKS, snapshot(summary({}))).followed;
    expect(runningWorks(running)).toHaveLength(1);
    expect(applyMessage(running, change(asking)).notice?.kind).toBe('asking');
    expect(applyMessage(running, change({ phase: 'Completed' })).notice?.kind).toBe('completed');
    expect(applyMessage(running, change({ phase: 'Failed' })).notice?.kind).toBe('failed');
  });

  it('[G20] does not notify of earlier states, of a stop by the person, or of a new title', () => {
    expect(applyMessage(NO_WORKS, snapshot(summary(asking))).notice).toBeUndefined();
    expect(applyMessage(NO_WORKS, change(asking)).notice).toBeUndefined();
    const waiting = applyMessage(NO_WORKS, snapshot(summary(asking))).followed;
    expect(applyMessage(waiting, change({ ...asking, title: 'Another' })).notice).toBeUndefined();
    const running = applyMessage(NO_WORKS, snapshot(summary({}))).followed;
    const stopped = { phase: 'WaitingUser', reason: { code: 'stopped' } } as Partial<WorkSummary>;
    expect(applyMessage(running, change(stopped)).notice).toBeUndefined();
  });

  it('[G20] counts Works that ask, without runs of a conversation, archived Works and idle threads', () => {
    const idle = { phase: 'WaitingUser', reason: { code: 'reply' } } as Partial<WorkSummary>;
    const { followed } = applyMessage(
      NO_WORKS,
      snapshot(
        summary({ ...asking, workId: 'a' }),
        summary({ ...asking, workId: 'b', parentId: 'a' }),
        summary({ ...asking, workId: 'c', archivedAt: 'then' }),
        summary({ ...idle, workId: 'd' }),
        summary({ ...idle, workId: 'e', activeRunId: 'r' }),
      ),
    );
    expect(waitingWorks(followed).map(({ workId }) => workId)).toEqual(['a', 'e']);
    const removed = applyMessage(followed, { type: 'work.removed', data: { workId: 'a' } }).followed;
    expect(waitingWorks(removed)).toHaveLength(1);
    expect(
      waitingWorks(applyMessage(followed, change({ ...asking, workId: 'a', archivedAt: 'x' })).followed),
    ).toHaveLength(1);
  });
});
