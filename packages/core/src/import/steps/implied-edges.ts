/**
 * Edges that a workflow implies without naming a file: a continue step leads to every later step, and a step without a named
 * successor leads to the next one by number. All are inferred. Pure.
 */
import { type EdgeDraft, toEdge } from '../source/package-draft.ts';
import { folderOf } from '../source/recognise-source.ts';
import { goesOn, type Step } from './step-ends.ts';
import { isContinueName } from './step-moves.ts';

const RESUMES =
  /appropriate (?:next )?step|next step file|nextStepFile[`}]* determined|continue this pattern|next (?:incomplete|logical|uncompleted) step|based on `?(?:lastStep|stepsCompleted)/i;

export function toImpliedEdges(
  steps: readonly Step[],
  edges: readonly EdgeDraft[],
  entry: string,
): EdgeDraft[] {
  const folders = new Map<string, Step[]>();
  for (const step of steps) {
    const folder = folderOf(step.file);
    folders.set(folder, [...(folders.get(folder) ?? []), step]);
  }
  // Each folder of steps is one sequence; numbers of different folders are unrelated.
  return [...folders.values()].flatMap((line) => {
    const continued = toContinueEdges(line, edges, entry);
    return [...continued, ...toOrderEdges(line, [...edges, ...continued], entry)];
  });
}

function toContinueEdges(steps: readonly Step[], edges: readonly EdgeDraft[], entry: string): EdgeDraft[] {
  return steps.filter(isContinue).flatMap((step): EdgeDraft[] => {
    const lines = step.body.split('\n');
    const at = lines.findIndex((line) => RESUMES.test(line));
    if (at === -1) return [];
    const text = (lines[at] ?? '').trim().slice(0, 300);
    const known = new Set(edges.filter(({ from }) => from === step.id).map(({ to }) => to));
    // A list of routes is complete, unless it says that it goes on.
    if (known.size > 2 && !/\bthis pattern\b|\band so on\b|\betc\b/i.test(step.body)) return [];
    return steps
      .filter((other) => !isContinue(other) && other.id !== entry && !known.has(other.id))
      .map((other) => {
        const evidence = { file: step.file, line: step.bodyLine + at + 1, text };
        const conditionText = `Continue here when ${other.id} is the first step that is not completed. ${text}`;
        const ends = { from: step.id, to: other.id, label: `resume ${other.id}` };
        return toEdge(ends, evidence, { conditionText, certainty: 'inferred' });
      });
  });
}

function isContinue({ id }: Step): boolean {
  return isContinueName(id);
}

function toOrderEdges(steps: readonly Step[], edges: readonly EdgeDraft[], entry: string): EdgeDraft[] {
  const line = steps.filter((step) => !isContinue(step));
  const added = line.flatMap((step, index): EdgeDraft[] => {
    const next = line[index + 1];
    if (!next || goesOn(step, line, edges) || isLast(step)) return [];
    const isNamed = edges.some(({ from }) => from === step.id);
    return [toOrderEdge(step, next, isNamed ? ONLY_OTHERS : NONE_NAMED)];
  });
  const all = [...edges, ...added];
  // A continue step without incoming edges follows the first step.
  const first = steps.find(({ id }) => id === entry) ?? line[0];
  const orphans = steps.filter(({ id }) => id !== entry && !all.some(({ to }) => to === id));
  return [
    ...added,
    ...orphans.flatMap((step): EdgeDraft[] => {
      const before = isContinue(step) ? first : line[line.indexOf(step) - 1];
      return before
        ? [toOrderEdge(before, step, 'No step refers to this one; it follows by its number.')]
        : [];
    }),
  ];
}

const NONE_NAMED = 'No next step is named; this is the next step by number.';
const ONLY_OTHERS = 'The step names no later step; this is the next step by number.';

function isLast({ id }: Step): boolean {
  return /(?:complete|completion|final|finish|done|end)(?:[-_]|$)/i.test(id);
}

function toOrderEdge(from: Step, to: Step, why: string): EdgeDraft {
  const ends = { from: from.id, to: to.id, label: isContinue(to) ? 'continue' : 'next' };
  const rest = { isDefault: !isContinue(to), certainty: 'inferred' } as const;
  return toEdge(ends, { file: to.file, text: why }, rest);
}
