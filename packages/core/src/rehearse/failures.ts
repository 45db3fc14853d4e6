/**
 * The reasons why a rehearsal failed, in one list.
 */
import type { Diagnostic } from '@crewagent/protocol/diagnostics';
import type { ReaderTrial } from '@crewagent/protocol/reader-trials';
import type { Workflow } from '../bmad/check/workflow-package.ts';
import { isShortfall, type Missed } from './coverage.ts';
import { BROKEN_REFERENCE, type RehearsedRun } from './run.ts';

export interface RehearsalFailure {
  /**
   * `missing-file`: a step names a file that is not in the package. `lazy-completed`: a lazy reader completed the workflow.
   * `reader-stopped`: a diligent one did not.
   */
  readonly kind: 'missing-file' | 'not-completed' | 'not-covered' | 'lazy-completed' | 'reader-stopped';
  readonly message: string;
  readonly workflow?: string;
  /** Where the step names the missing file, if validation found it. */
  readonly file?: string;
  readonly line?: number;
}

interface RehearsedWorkflow {
  readonly ref: string;
  readonly missed: readonly Missed[];
  readonly runs: readonly RehearsedRun[];
}

export function findFailures(
  rehearsed: readonly RehearsedWorkflow[],
  workflows: readonly Workflow[],
  diagnostics: readonly Diagnostic[],
): RehearsalFailure[] {
  const references = findBrokenReferences(workflows, diagnostics);
  const ofRuns = rehearsed.flatMap(failuresOf);
  // Validation reports most missing files with their line; a run can find others.
  const others = ofRuns.filter(
    ({ kind, message }) =>
      kind !== 'missing-file' || !references.some((found) => found.message.includes(fileNameIn(message))),
  );
  const byMessage = new Map(others.map((failure) => [`${failure.workflow}: ${failure.message}`, failure]));
  return [...references, ...byMessage.values()];
}

export function findTrialFailures(trials: readonly ReaderTrial[]): RehearsalFailure[] {
  return trials.flatMap((trial): RehearsalFailure[] => {
    const { as, workflow, ok, stop } = trial;
    if (ok) return [];
    if (as === 'lazy')
      return [
        { kind: 'lazy-completed', workflow, message: `a lazy model can complete it: ${toAdvice(trial)}` },
      ];
    const where = stop ? `it stopped at "${stop.nodeId}" (${stop.file}): ${stop.message}` : 'it did not end';
    const message = `a ${as === 'literal' ? 'literal model' : 'model that asks'} does not complete it: ${where}`;
    return [{ kind: 'reader-stopped', workflow, message, ...(stop ? { file: stop.file } : {}) }];
  });
}

function toAdvice({ escapes }: ReaderTrial): string {
  const steps = new Set(
    escapes.filter(({ kind }) => kind === 'nothing-to-prove').map(({ nodeId }) => nodeId),
  );
  return steps.size > 0
    ? `these steps prove nothing: ${[...steps].join(', ')}. Add produces or waits to their frontmatter.`
    : 'the checks of its steps are met by files of one byte. Add headings, minWords or waits to them.';
}

/** Runs do not read ahead, so references to missing steps are known from validation only. */
function findBrokenReferences(
  workflows: readonly Workflow[],
  diagnostics: readonly Diagnostic[],
): RehearsalFailure[] {
  const steps = new Set(workflows.flatMap(({ nodes }) => [...nodes.values()].map(({ file }) => file)));
  return diagnostics
    .filter(({ code, file }) => code === 'REFERENCE_MISSING' && steps.has(file))
    .map(({ file, line, message }) => ({
      kind: 'missing-file',
      message,
      file,
      line,
    }));
}

function failuresOf({ ref: workflow, missed, runs }: RehearsedWorkflow): RehearsalFailure[] {
  return [
    ...missed.filter(isShortfall).map((entry): RehearsalFailure => {
      const what = entry.kind === 'node' ? `node "${entry.id}"` : `edge "${entry.from}" → "${entry.to}"`;
      return { kind: 'not-covered', workflow, message: `${what} was not covered: ${entry.message}` };
    }),
    ...runs.flatMap(({ phase, reason, warnings, path }): RehearsalFailure[] => [
      ...(phase === 'Completed'
        ? []
        : [
            {
              kind: 'not-completed' as const,
              workflow,
              message: `a run stopped at "${path.at(-1) ?? ''}": ${reason?.message ?? phase}`,
            },
          ]),
      ...warnings
        .filter(({ code }) => code === BROKEN_REFERENCE)
        .map(({ message }) => ({ kind: 'missing-file' as const, workflow, message })),
    ]),
  ];
}

/** The file name in the quotes of a message. */
function fileNameIn(message: string): string {
  return /([^"/]+)",/.exec(message)?.[1] ?? message;
}
