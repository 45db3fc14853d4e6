/**
 * Sees when a model turns in circles: the same call with the same answer in reply after reply, alone or in alternation.
 * Pure.
 */
export interface LoopDetector {
  /** The calls of one reply and what they were answered. Says what to do about it. */
  note(round: readonly AnsweredCall[]): LoopVerdict;
  /** The run got somewhere: another node, or a word of the person. */
  reset(): void;
}

export interface AnsweredCall {
  readonly name: string;
  readonly arguments: string;
  readonly answer: string;
}

export type LoopVerdict = 'fine' | 'nudge' | 'stop';

const REPEATS = 3;
/** Replies further back than this are not held against the model. */
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

/** A state document that changed in nothing but its date did not change. */
function toKey({ name, arguments: args, answer }: AnsweredCall): string {
  const steady = answer.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '').replace(/[0-9a-f]{64}/g, '');
  return `${name}\n${args}\n${steady}`;
}
