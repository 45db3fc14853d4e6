/**
 * The status of a run or a conversation, derived from its phase and reason, for every screen and command.
 */
import type { ErrorCode } from './errors.ts';
import { IDLE_REASONS, type IdleReason } from './reason-codes.ts';
import type { RunPhase } from './run.ts';

const LIMITS: ReadonlySet<string> = new Set<ErrorCode>([
  'ENGINE_MAX_TURNS_EXCEEDED',
  'ENGINE_LOOP_DETECTED',
  'ENGINE_BUDGET_EXCEEDED',
  'QUOTA_EXCEEDED',
  'POLICY_FORBIDS',
  'LLM_WAIT_TOO_LONG',
]);

const INTERNAL: ErrorCode = 'E_INTERNAL';
const HISTORY_REJECTED: ErrorCode = 'LLM_MESSAGES_REFUSED';

/** Problems that neither input to the model nor a retry can fix. */
const FIXED_ELSEWHERE: ReadonlySet<string> = new Set<ErrorCode>([
  INTERNAL,
  'LLM_AUTH_FAILED',
  'LLM_OUT_OF_CREDIT',
  'CASSETTE_INVALID',
  'CASSETTE_MISMATCH',
  'DISK_FULL',
  'DISK_READ_ONLY',
  'FOLDER_NOT_FOUND',
  'PACKAGE_DAMAGED',
]);

export type StatusKind = 'running' | IdleReason | 'limit' | 'problem' | 'completed' | 'failed';

export interface Status {
  /** `limit`: paused by a limit; `problem`: paused by a problem that a person can fix. */
  readonly kind: StatusKind;
  readonly isRunning: boolean;
  /** It waits for a person, whatever the reason. */
  readonly isWaiting: boolean;
  readonly isCompleted: boolean;
  readonly isFailed: boolean;
  /** The person is asked for input, an answer or an approval. */
  readonly isAsking: boolean;
  /** It can be resumed without input. */
  readonly canResume: boolean;
  /** It was stopped by a bug of ours. */
  readonly isBug: boolean;
  /** It needs a fix in the settings or in a file before it can continue. */
  readonly isFixedElsewhere: boolean;
  /** The provider rejected the messages of this step; a new start of the step has others. */
  readonly isHistoryRejected: boolean;
}

export interface PhaseState {
  readonly phase: RunPhase;
  readonly reason?: { readonly code: string } | undefined;
}

export function toStatus(state: PhaseState): Status {
  const kind = kindOf(state);
  const isAsking = kind === 'reply' || kind === 'question' || kind === 'approval';
  const code = state.reason?.code ?? '';
  return {
    kind,
    isRunning: state.phase === 'Running',
    isWaiting: state.phase === 'WaitingUser',
    isCompleted: state.phase === 'Completed',
    isFailed: state.phase === 'Failed',
    isAsking,
    canResume: !isAsking && kind !== 'running' && kind !== 'completed',
    isBug: code === INTERNAL,
    isFixedElsewhere: FIXED_ELSEWHERE.has(code),
    isHistoryRejected: code === HISTORY_REJECTED,
  };
}

function kindOf({ phase, reason }: PhaseState): StatusKind {
  switch (phase) {
    case 'Running':
      return 'running';
    case 'Completed':
      return 'completed';
    case 'Failed':
      return 'failed';
    case 'WaitingUser':
      // A new Work has no reason yet: it waits for the first input.
      if (reason === undefined) return 'reply';
      if (LIMITS.has(reason.code)) return 'limit';
      return IDLE_REASONS.find((code) => code === reason.code) ?? 'problem';
  }
}
