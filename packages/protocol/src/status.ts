/**
 * What a run or a conversation does or waits for: one answer, made from its phase and its reason, for every screen and
 * every command.
 */
import type { ErrorCode } from './errors.ts';
import { IDLE_REASONS, type IdleReason } from './reason-codes.ts';
import type { RunPhase } from './run.ts';

const LIMITS: ReadonlySet<string> = new Set<ErrorCode>([
  'ENGINE_MAX_TURNS_EXCEEDED',
  'ENGINE_LOOP_DETECTED',
  'ENGINE_BUDGET_EXCEEDED',
]);

const INTERNAL: ErrorCode = 'E_INTERNAL';

/** What a word to the model, or another try, cannot fix. */
const FIXED_ELSEWHERE: ReadonlySet<string> = new Set<ErrorCode>([
  INTERNAL,
  'LLM_AUTH_FAILED',
  'CASSETTE_INVALID',
  'CASSETTE_MISMATCH',
]);

export type StatusKind = 'running' | IdleReason | 'limit' | 'problem' | 'completed' | 'failed';

export interface Status {
  /** `limit`: paused by a limit; `problem`: paused by something that a person can mend. */
  readonly kind: StatusKind;
  /** A person is asked for words, an answer or an approval. */
  readonly isAsking: boolean;
  /** It can go on without a word. */
  readonly canResume: boolean;
  /** A bug of ours stopped it. */
  readonly isBug: boolean;
  /** It must be fixed before it can go on, in the settings or in a file. */
  readonly isFixedElsewhere: boolean;
}

export interface Standing {
  readonly phase: RunPhase;
  readonly reason?: { readonly code: string } | undefined;
}

export function toStatus(standing: Standing): Status {
  const kind = kindOf(standing);
  const isAsking = kind === 'reply' || kind === 'question' || kind === 'approval';
  const code = standing.reason?.code ?? '';
  return {
    kind,
    isAsking,
    canResume: !isAsking && kind !== 'running' && kind !== 'completed',
    isBug: code === INTERNAL,
    isFixedElsewhere: FIXED_ELSEWHERE.has(code),
  };
}

function kindOf({ phase, reason }: Standing): StatusKind {
  switch (phase) {
    case 'Running':
      return 'running';
    case 'Completed':
      return 'completed';
    case 'Failed':
      return 'failed';
    case 'WaitingUser':
      // Something that was just made has no reason: the next word is the person's.
      if (reason === undefined) return 'reply';
      if (LIMITS.has(reason.code)) return 'limit';
      return IDLE_REASONS.find((code) => code === reason.code) ?? 'problem';
  }
}
