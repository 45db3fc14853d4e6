import { type RunFact, runEventSchema } from '@crewagent/protocol/events';
import { type StoryRow, toRows, withoutQueued } from '@crewagent/protocol/story/rows';
import type { WorkItem } from '@crewagent/protocol/story/work-story';
import { describe, expect, it } from 'vitest';
import { createConversationStore } from '../../state/conversation-store.ts';
import { agentStoryLog, conversationIdOf, helloBranchLog, inConversation } from '../../testing/logs.ts';
import { asking, eventful, hostile, RUN_ID, runCreated, toLog } from '../../testing/made-events.ts';

function rowsOf(log: typeof agentStoryLog): StoryRow[] {
  const store = createConversationStore(conversationIdOf(log), { schedule: (publish) => publish() });
  for (const data of log) store.take({ type: 'event', data });
  const { timeline, runs, active } = store.picture.read();
  return toRows(withoutQueued(timeline, active), runs);
}

const names = (rows: readonly StoryRow[]): string[] =>
  rows.map((row) =>
    row.kind === 'item'
      ? row.item.kind
      : row.kind === 'node'
        ? `# ${row.title}`
        : `reads ${row.items.length}`,
  );

describe('rows', () => {
  it('[U16] are tested with events that match the log’s schema', () => {
    for (const facts of [eventful, asking, hostile]) {
      for (const event of toLog(RUN_ID, facts)) expect(() => runEventSchema.parse(event)).not.toThrow();
    }
  });

  it('[U16] of a real run are grouped by node, with the usage of each', () => {
    const rows = rowsOf(inConversation(helloBranchLog));
    expect(names(rows).filter((name) => name.startsWith('#'))).toEqual([
      '# Intake',
      '# Decide the project type',
      expect.stringMatching(/^# (?:Plan a fresh start|Assess what exists)$/),
      '# Summarise and close',
    ]);
    const [intake] = rows.filter((row) => row.kind === 'node');
    expect(intake?.visit).toMatchObject({ nodeId: 'step-01-intake', agentId: 'analyst' });
    expect(intake?.visit?.usage.promptTokens).toBeGreaterThan(1_000);
  });

  it('[U16] have unique keys, under which an expanded call stays expanded, for any log', () => {
    for (const log of [
      agentStoryLog,
      inConversation(helloBranchLog),
      inConversation(toLog(RUN_ID, eventful)),
    ]) {
      const keys = rowsOf(log).map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('[U16] merge consecutive attempts, and show an error once, where the run is idle', () => {
    const failure = { code: 'LLM_HTTP_ERROR', message: 'The model cannot be reached.' } as const;
    const tries = [1, 2, 3, 4].map(
      (attempt): RunFact => ({ type: 'llm.retry', turn: 1, attempt, delayMs: 1, ...failure }),
    );
    const rest: RunFact = { type: 'phase.changed', phase: 'Failed', reason: failure };
    const rows = rowsOf(
      inConversation(toLog(RUN_ID, [runCreated, ...tries, { type: 'error', ...failure }, rest])),
    );
    expect(names(rows)).toEqual(['run', 'notice', 'phase']);
    expect(rows.map((row) => (row.kind === 'item' ? row.tries : 0))).toEqual([1, 4, 1]);
  });

  it('[U16] show an error separately if the run is idle for another reason', () => {
    const rest: RunFact = {
      type: 'phase.changed',
      phase: 'Failed',
      reason: { code: 'LLM_HTTP_ERROR', message: 'Another.' },
    };
    const error: RunFact = { type: 'error', code: 'LLM_HTTP_ERROR', message: 'One.' };
    expect(names(rowsOf(inConversation(toLog(RUN_ID, [runCreated, error, rest]))))).toEqual([
      'run',
      'notice',
      'phase',
    ]);
  });

  it('[U16] group any number of consecutive reads, in order', () => {
    const items = Array.from({ length: 100_000 }, (_, seq): WorkItem => {
      const call = {
        callId: `c${seq}`,
        name: 'fs.read',
        arguments: '{}',
        status: 'ok',
      } as const;
      const effect = { kind: 'read' } as const;
      const rest = {
        durationMs: 1,
        answer: '',
        effect,
      };
      return { source: RUN_ID, depth: 0, item: { seq, ts: '', kind: 'tool', ...call, ...rest } };
    });
    const [row, ...others] = toRows(items, new Map());
    expect(others).toEqual([]);
    expect(row?.kind === 'reads' && row.items.every(({ seq }, index) => seq === index)).toBe(true);
    expect(row?.kind === 'reads' && row.items.length).toBe(items.length);
  });

  it('[U16] group consecutive reads, show a state write as its transition, and files with their write', () => {
    expect(names(rowsOf(inConversation(toLog(RUN_ID, eventful))))).toEqual([
      'run',
      '# Intake',
      'reply',
      'reads 4',
      'reply',
      'person',
      'tool',
      'notice',
      'move',
      '# Decide the project type',
      'move',
      '# Assess what exists',
      'notice',
      'reply',
      'tool',
      'tool',
    ]);
    const rows = rowsOf(inConversation(toLog(RUN_ID, eventful))).filter((row) => row.kind === 'item');
    expect(rows.find(({ item }) => item.kind === 'tool')?.item).toHaveProperty('isArtifact', true);
    expect(rows.filter(({ item }) => item.kind === 'move').map(({ call }) => call?.callId)).toEqual([
      'c7',
      'c8',
    ]);
    expect(rows.find(({ item }) => item.kind === 'notice')?.call?.callId).toBe('c6');
  });

  it.each(['once', 'no'] as const)('[U16] show a change and its approval once: %s', (decision) => {
    const target = { callId: 'c10', tool: 'fs.apply_patch', path: '@project/docs/plan.md' } as const;
    const resolved: RunFact = { type: 'approval.resolved', ...target, decision };
    const rows = rowsOf(inConversation(toLog(RUN_ID, [...eventful, resolved])));
    const ofPlan = rows.filter(
      (row) => row.kind === 'item' && 'callId' in row.item && row.item.callId === 'c10',
    );
    expect(ofPlan).toMatchObject([{ item: { kind: 'tool', approval: { decision } } }]);
  });

  it('[U16] never lose a write that failed', () => {
    const failed = rowsOf(inConversation(toLog(RUN_ID, hostile))).filter(
      (row) => row.kind === 'item' && row.item.kind === 'tool' && row.item.status === 'failed',
    );
    expect(failed.length).toBe(1);
  });

  it('[U91] contain a message of the user only when the model was sent it', () => {
    const saidAt = eventful.findIndex(({ type }) => type === 'input.queued');
    const log = inConversation(toLog(RUN_ID, eventful.slice(0, saidAt + 1)));
    expect(names(rowsOf(log))).not.toContain('person');
    expect(names(rowsOf(inConversation(toLog(RUN_ID, eventful))))).toContain('person');
  });
});
