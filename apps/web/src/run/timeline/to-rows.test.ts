import { type RunFact, runEventSchema } from '@crewagent/protocol/events';
import type { WorkItem } from '@crewagent/protocol/work-view';
import { describe, expect, it } from 'vitest';
import { createConversationStore } from '../../state/conversation-store.ts';
import { agentStoryLog, conversationIdOf, helloBranchLog, inConversation } from '../../testing/logs.ts';
import { asking, eventful, hostile, RUN_ID, runCreated, toLog } from '../../testing/made-events.ts';
import { type TimelineRow, toRows, withoutQueued } from './to-rows.ts';

function rowsOf(log: typeof agentStoryLog): TimelineRow[] {
  const store = createConversationStore(conversationIdOf(log), { schedule: (publish) => publish() });
  for (const data of log) store.take({ type: 'event', data });
  const { timeline, runs, active } = store.picture.read();
  return toRows(withoutQueued(timeline, active), runs);
}

const names = (rows: readonly TimelineRow[]): string[] =>
  rows.map((row) =>
    row.kind === 'item'
      ? row.item.kind
      : row.kind === 'node'
        ? `# ${row.title}`
        : `reads ${row.items.length}`,
  );

describe('rows', () => {
  it('[U16] are tested with events that fit the schema of the log', () => {
    for (const facts of [eventful, asking, hostile]) {
      for (const event of toLog(RUN_ID, facts)) expect(() => runEventSchema.parse(event)).not.toThrow();
    }
  });

  it('[U16] of a real run are grouped by node, with what each took', () => {
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

  it('[U26] have keys of their own, under which an open call stays open, whatever the log', () => {
    for (const log of [
      agentStoryLog,
      inConversation(helloBranchLog),
      inConversation(toLog(RUN_ID, eventful)),
    ]) {
      const keys = rowsOf(log).map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('[U129] put tries in a row together, and tell an error once, where the run rests', () => {
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

  it('[U129] tell an error for itself where the run rests at something else', () => {
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

  it('[U17] put any number of reads in a row together, in their order', () => {
    const items = Array.from({ length: 100_000 }, (_, seq): WorkItem => {
      const call = {
        callId: `c${seq}`,
        name: 'fs.read',
        arguments: '{}',
        path: undefined,
        status: 'ok',
      } as const;
      const effect = { kind: 'read' } as const;
      const rest = {
        code: undefined,
        message: undefined,
        durationMs: 1,
        answer: '',
        effect,
        nodeId: undefined,
      };
      return { source: RUN_ID, depth: 0, item: { seq, ts: '', kind: 'tool', ...call, ...rest } };
    });
    const [row, ...others] = toRows(items, new Map());
    expect(others).toEqual([]);
    expect(row?.kind === 'reads' && row.items.every(({ seq }, index) => seq === index)).toBe(true);
    expect(row?.kind === 'reads' && row.items.length).toBe(items.length);
  });

  it('[U17] put reads in a row together, draw a state write as its move and tell files with their write', () => {
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
    expect(rows.find(({ item }) => item.kind === 'tool')?.isArtifact).toBe(true);
    expect(rows.filter(({ item }) => item.kind === 'move').map(({ call }) => call?.callId)).toEqual([
      'c7',
      'c8',
    ]);
    expect(rows.find(({ item }) => item.kind === 'notice')?.call?.callId).toBe('c6');
  });

  it.each(['once', 'no'] as const)('[U131] tell a change and the word it needed once: %s', (decision) => {
    const place = { callId: 'c10', tool: 'fs.apply_patch', path: '@project/docs/plan.md' } as const;
    const said: RunFact = { type: 'approval.resolved', ...place, decision };
    const rows = rowsOf(inConversation(toLog(RUN_ID, [...eventful, said])));
    const ofPlan = rows.filter(
      (row) => row.kind === 'item' && 'callId' in row.item && row.item.callId === 'c10',
    );
    expect(ofPlan).toMatchObject([{ item: { kind: 'tool', approval: { decision } } }]);
  });

  it('[U17] never lose a write that failed', () => {
    const failed = rowsOf(inConversation(toLog(RUN_ID, hostile))).filter(
      (row) => row.kind === 'item' && row.item.kind === 'tool' && row.item.status === 'failed',
    );
    expect(failed.length).toBe(1);
  });

  it('[U190] have what a person said only when the model was told it', () => {
    const saidAt = eventful.findIndex(({ type }) => type === 'input.queued');
    const log = inConversation(toLog(RUN_ID, eventful.slice(0, saidAt + 1)));
    expect(names(rowsOf(log))).not.toContain('person');
    expect(names(rowsOf(inConversation(toLog(RUN_ID, eventful))))).toContain('person');
  });
});
