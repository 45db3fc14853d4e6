import { describe, expect, it } from 'vitest';
import { ERRORS } from './errors.ts';
import { type Standing, toStatus } from './status.ts';

const waiting = (code: string): Standing => ({ phase: 'WaitingUser', reason: { code } });

describe('what something does or waits for', () => {
  it.each([
    [{ phase: 'Running' }, 'running', false, false],
    [{ phase: 'WaitingUser' }, 'reply', true, false],
    [waiting('reply'), 'reply', true, false],
    [waiting('question'), 'question', true, false],
    [waiting('approval'), 'approval', true, false],
    [waiting('stopped'), 'stopped', false, true],
    [waiting('interrupted'), 'interrupted', false, true],
    [waiting('rewound'), 'rewound', false, true],
    [waiting('ENGINE_BUDGET_EXCEEDED'), 'limit', false, true],
    [waiting('LLM_TIMEOUT'), 'problem', false, true],
    [waiting('of another version'), 'problem', false, true],
    [{ phase: 'Completed' }, 'completed', false, false],
    [{ phase: 'Failed', reason: { code: 'STATE_DAMAGED' } }, 'failed', false, true],
  ] as const)('[L55] of %j is %s', (standing, kind, isAsking, canResume) => {
    expect(toStatus(standing)).toEqual({ kind, isAsking, canResume });
  });

  it('[L55] is a problem or a limit for every code of the error table', () => {
    const kinds = Object.keys(ERRORS).map((code) => toStatus(waiting(code)).kind);
    expect(new Set(kinds)).toEqual(new Set(['problem', 'limit']));
  });
});
