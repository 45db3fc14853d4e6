/**
 * Detects a model that repeats itself: the same call with the same result in several replies, alone or in alternation. Pure.
 */
export interface LoopDetector {
  /** Takes the calls of one reply with their results; returns how to react. */
  note(round: readonly AnsweredCall[]): LoopVerdict;
  /** Call it on progress: another node, or a message of the person. */
  reset(): void;
}

export interface AnsweredCall {
  readonly name: string;
  readonly arguments: string;
  readonly answer: string;
}

export type LoopVerdict = 'fine' | 'nudge' | 'stop';

const REPEATS = 3;
/** Number of recent replies that are compared. */
const WINDOW = 12;

export function createLoopDetector(): LoopDetector {
  let recent: ReadonlySet<string>[] = [];
  let wasNudged = false;
  return {
    note(round) {
      const keys = new Set(round.map(toKey));
      recent = [...recent, keys].slice(-WINDOW);
      const isRepeated = [...keys].some((key) => recent.filter((seen) => seen.has(key)).length >= REPEATS);
      if (!isRepeated) return 'fine';
      if (wasNudged) return 'stop';
      wasNudged = true;
      return 'nudge';
    },
    reset() {
      recent = [];
      wasNudged = false;
    },
  };
}

/** Ignores dates and hashes, which differ even if the state document did not change otherwise. */
function toKey({ name, arguments: args, answer }: AnsweredCall): string {
  const steady = answer.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '').replace(/[0-9a-f]{64}/g, '');
  return `${name}\n${args}\n${steady}`;
}
