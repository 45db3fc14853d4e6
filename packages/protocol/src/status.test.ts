import { describe, expect, it } from 'vitest';
import { ERRORS } from './errors.ts';
import { phaseReasonSchema } from './run.ts';
import { type PhaseState, toStatus } from './status.ts';

const waiting = (code: string): PhaseState => ({ phase: 'WaitingUser', reason: { code } });

describe('the status', () => {
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
  ] as const)('of %j is %s', (state, kind, isAsking, canResume) => {
    const flags = { isBug: false, isFixedElsewhere: false, isHistoryRejected: false };
    const phases = {
      isRunning: kind === 'running',
      isWaiting: state.phase === 'WaitingUser',
      isCompleted: kind === 'completed',
      isFailed: kind === 'failed',
    };
    expect(toStatus(state)).toEqual({ kind, isAsking, canResume, ...phases, ...flags });
  });

  it('reports problems that neither input nor a retry can fix', () => {
    const codes = (test: (status: ReturnType<typeof toStatus>) => boolean): string[] =>
      Object.keys(ERRORS).filter((code) => test(toStatus(waiting(code))));
    expect(codes(({ isBug }) => isBug)).toEqual(['E_INTERNAL']);
    expect(codes(({ isHistoryRejected }) => isHistoryRejected)).toEqual(['LLM_MESSAGES_REFUSED']);
    expect(codes(({ isFixedElsewhere }) => isFixedElsewhere).sort()).toEqual([
      'CASSETTE_INVALID',
      'CASSETTE_MISMATCH',
      'DISK_FULL',
      'DISK_READ_ONLY',
      'E_INTERNAL',
      'FOLDER_NOT_FOUND',
      'LLM_AUTH_FAILED',
      'LLM_OUT_OF_CREDIT',
      'PACKAGE_DAMAGED',
    ]);
    expect(toStatus({ phase: 'Running' })).toMatchObject({ isBug: false, isFixedElsewhere: false });
  });

  it('accepts codes of other versions', () => {
    const reason = { code: 'of another version', message: '' };
    expect(phaseReasonSchema.parse(reason)).toEqual(reason);
    expect(phaseReasonSchema.safeParse({ ...reason, code: '' }).success).toBe(false);
  });

  it('is a problem or a limit for every code of the error table', () => {
    const kinds = Object.keys(ERRORS).map((code) => toStatus(waiting(code)).kind);
    expect(new Set(kinds)).toEqual(new Set(['problem', 'limit']));
  });
});
