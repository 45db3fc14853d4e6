import type { RunEvent } from '@crewagent/protocol/events';
import { describeToolCall } from '@crewagent/protocol/story/describe-call';
import {
  isAtLeast,
  LOG_LEVELS,
  type LogNames,
  levelOf,
  summaryOf,
} from '@crewagent/protocol/story/describe-event';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventful, hostile, longLog, RUN_ID, toLog } from '../../../testing/made-events.ts';
import { PAGE_EVENTS, toNextPage, withPage } from './use-log.ts';

const log = longLog(4_000);
const ALL_KINDS = toLog(RUN_ID, [...eventful, ...hostile]);
const names: LogNames = {
  nodeOf: (id) => id,
  phaseOf: (phase) => phase,
  callOf: (name, status) => describeToolCall(name, status).key,
  purposeOf: (purpose) => purpose,
  problemOf: ({ code }) => `problem.${code}`,
  amountOf: (value, unit) => `amount.${unit}(${value})`,
};
const MEASURED = new Set(['turn.started', 'tool.ended', 'llm.retry', 'usage.updated', 'context.compacted']);
const pageOf = ({ after, limit }: { after: number; limit: number }, end: number): RunEvent[] =>
  log.filter(({ seq }) => seq > after && seq <= end).slice(0, limit);

describe('the log', () => {
  it('[U70] is read from its end, and earlier pages on demand', () => {
    const page = toNextPage([], 4_002, undefined);
    expect(page).toEqual({ after: 3_002, limit: PAGE_EVENTS });
    const events = withPage([], pageOf({ after: 3_002, limit: PAGE_EVENTS }, 4_002));
    expect(toNextPage(events, 4_002, undefined)).toBeUndefined();
    expect(toNextPage(events, 4_010, undefined)).toEqual({ after: 4_002, limit: PAGE_EVENTS });
    expect(toNextPage(events, 4_002, 2_500)).toEqual({ after: 2_002, limit: PAGE_EVENTS });
    expect(toNextPage([], 0, 1)).toBeUndefined();
  });

  it('[U70] ends up complete and in order, however it grows meanwhile', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: log.length }), { minLength: 1, maxLength: 8 }),
        (ends) => {
          let events: readonly RunEvent[] = [];
          for (const end of [...ends].sort((a, b) => a - b)) {
            for (let page = toNextPage(events, end, 1); page; page = toNextPage(events, end, 1))
              events = withPage(events, pageOf(page, end));
            expect(events.map(({ seq }) => seq)).toEqual(
              Array.from({ length: end }, (_, index) => index + 1),
            );
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  it('[U70] a call is in the words of the reader, with its file', () => {
    const ended = ALL_KINDS.find(({ type }) => type === 'tool.ended');
    if (ended?.type !== 'tool.ended') throw new Error('There is no such event.');
    const event = { ...ended, name: 'fs.read', outcome: 'ok', durationMs: 3 } as const;
    const effect = { kind: 'read', path: '@project/a.md' } as const;
    const { code: _, ...read } = event;
    expect(summaryOf({ ...read, effect }, names)).toBe('tools.fs_read.done · @project/a.md · amount.ms(3)');
    expect(summaryOf({ ...read, effect })).toBe('fs.read · ok · @project/a.md · 3 ms');
  });

  it('[U70] a call is in the words of the reader before its outcome is known', () => {
    const lines = ALL_KINDS.flatMap((event) => {
      const isOfCall = 'tool' in event || event.type === 'tool.started' || event.type === 'tool.progress';
      // A line ends after so many characters.
      const isReply = event.type === 'message.completed' && event.toolCalls && event.content.length < 200;
      return isOfCall || isReply ? [summaryOf(event, names)] : [];
    });
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line).toContain('tools.');
    for (const line of lines) expect(line).not.toMatch(/\b(?:fs|ui|runtime)\.\w/);
  });

  it('[U70] why a run stopped or a request is repeated is in the words of the reader', () => {
    const lines = ALL_KINDS.flatMap((event) => {
      const retried = event.type === 'llm.retry' ? event : undefined;
      const problem = event.type === 'phase.changed' ? event.reason : retried;
      return problem ? [{ line: summaryOf(event, names), problem }] : [];
    });
    expect(lines.length).toBeGreaterThan(1);
    for (const { line, problem } of lines) {
      const words = `problem.${problem.code}`;
      expect(line).toContain(words);
      expect(line.replace(words, '')).not.toContain(problem.message);
    }
  });

  it('[U70] times, sizes and tokens are in the words of the reader', () => {
    const measured = toLog(RUN_ID, eventful).filter(({ type }) => MEASURED.has(type));
    const lines = measured.map((event) => summaryOf(event, names));
    expect(lines.length).toBeGreaterThanOrEqual(MEASURED.size);
    for (const line of lines) {
      expect(line).toMatch(/amount\.(?:ms|bytes|tokens)\(\d+\)/);
      expect(line).not.toMatch(/\b(?:ms|bytes|tokens|attempt)\b(?!\()/);
    }
  });

  it('[U70] has a level and a text for every event; the levels contain each other', () => {
    for (const event of ALL_KINDS) {
      expect(LOG_LEVELS.filter((level) => isAtLeast(event, level))).toContain(levelOf(event));
      expect(isAtLeast(event, 'detail')).toBe(true);
      expect(summaryOf(event).length).toBeLessThanOrEqual(300);
      expect(summaryOf(event)).not.toMatch(/[\n\r]/);
    }
    const levels = new Set(ALL_KINDS.map(levelOf));
    expect(levels).toEqual(new Set(LOG_LEVELS));
  });
});
