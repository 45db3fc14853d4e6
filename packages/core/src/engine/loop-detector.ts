/**
 * Sees when a model turns in circles: the same call with the same answer, again and again, alone or in alternation. Pure.
 */
export interface LoopDetector {
  /** A call and what it was answered. Says what to do about it. */
  note(call: { readonly name: string; readonly arguments: string }, answer: string): LoopVerdict;
  /** The run got somewhere: another node, or a word of the person. */
  reset(): void;
}

export type LoopVerdict = 'fine' | 'nudge' | 'stop';

const REPEATS = 3;
/** Calls further back than this are not held against the model. */
const WINDOW = 12;

export function createLoopDetector(): LoopDetector {
  let recent: string[] = [];
  let wasNudged = false;
  return {
    note({ name, arguments: args }, answer) {
      const key = `${name}\n${args}\n${withoutTimes(answer)}`;
      recent = [...recent, key].slice(-WINDOW);
      if (recent.filter((other) => other === key).length < REPEATS) return 'fine';
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
function withoutTimes(answer: string): string {
  return answer.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '').replace(/[0-9a-f]{64}/g, '');
}
