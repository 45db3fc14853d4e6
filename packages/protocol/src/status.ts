/**
 * What a run or a conversation does or waits for: one answer, made from its phase and its reason, for every screen and
 * every command.
 */
import type { ErrorCode } from './errors.ts';
import type { PhaseReason, RunPhase } from './run.ts';

/** Why something rests, where nothing went wrong. */
export const REST_REASONS = ['reply', 'question', 'approval', 'stopped', 'interrupted', 'rewound'] as const;
export type RestReason = (typeof REST_REASONS)[number];

/** Every reason that a phase may have. Logs of other versions may hold others. */
export type ReasonCode = RestReason | ErrorCode;

const LIMITS: ReadonlySet<string> = new Set<ErrorCode>([
  'ENGINE_MAX_TURNS_EXCEEDED',
  'ENGINE_LOOP_DETECTED',
  'ENGINE_BUDGET_EXCEEDED',
]);

export type StatusKind = 'running' | RestReason | 'limit' | 'problem' | 'completed' | 'failed';

export interface Status {
  /** `limit`: paused by a limit; `problem`: paused by something that a person can mend. */
  readonly kind: StatusKind;
  /** A person is asked for words, an answer or an approval. */
  readonly isAsking: boolean;
  /** It can go on without a word. */
  readonly canResume: boolean;
}

export interface Standing {
  readonly phase: RunPhase;
  readonly reason?: Pick<PhaseReason, 'code'> | undefined;
}

export function toStatus(standing: Standing): Status {
  const kind = kindOf(standing);
  const isAsking = kind === 'reply' || kind === 'question' || kind === 'approval';
  return { kind, isAsking, canResume: !isAsking && kind !== 'running' && kind !== 'completed' };
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
      return REST_REASONS.find((code) => code === reason.code) ?? 'problem';
  }
}
