/** What people, other programs and bad luck do to a simulated machine. */
import fc from 'fast-check';

const WEIGHTS = {
  create: 4,
  answer: 8,
  approve: 8,
  deny: 2,
  input: 5,
  resume: 6,
  stop: 3,
  rewind: 2,
  remove: 1,
  list: 2,
  watch: 4,
  disconnect: 2,
  /** Another process changes the same store. */
  neighbour: 3,
  wait: 4,
  restart: 1,
  kill: 3,
  'power loss': 3,
  /** Until the next step. */
  'full disk': 2,
} as const;
export type StepKind = keyof typeof WEIGHTS;

/** Works that a simulation creates at most. */
export const MAX_WORKS = 4;

export interface Step {
  readonly kind: StepKind;
  /** The number of the Work that the step is about. */
  readonly work: number;
  /** How many operations of the machine follow before the next step. */
  readonly operations: number;
}

const stepArbitrary: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    ...Object.entries(WEIGHTS).map(([kind, weight]) => ({
      weight,
      arbitrary: fc.constant(kind as StepKind),
    })),
  ),
  work: fc.nat(MAX_WORKS - 1),
  operations: fc.nat(120),
});

/** Begins with a Work. */
export const stepsArbitrary: fc.Arbitrary<readonly Step[]> = fc
  .array(stepArbitrary, { minLength: 1, maxLength: 60, size: 'max' })
  .map((steps) => [{ kind: 'create', work: 0, operations: 120 }, ...steps]);
