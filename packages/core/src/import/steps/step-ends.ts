/**
 * Where a step ends its workflow although steps follow it: "HALT with status `blocked`" and "exit the workflow". Every status is an
 * end of its own, so that a graph shows how a run ended. A halt that waits for the person is no end. Pure.
 */
import { clip } from '../source/import-notes.ts';
import { type EdgeDraft, type NodeDraft, toEdge } from '../source/package-draft.ts';
import { END_ID, toEndEdge, toEndNode, toPlainNode } from './added-nodes.ts';
import { sentenceStart } from './step-moves.ts';

export interface Step {
  readonly id: string;
  readonly file: string;
  readonly body: string;
  readonly bodyLine: number;
}

const WITH_STATUS = /\bHALT\b[^.;\n]{0,40}?\bstatus\b[\s:=`'"*]{1,6}([a-z][\w-]{1,40})/g;
const EXIT = /\b(?:exit|end|quit|terminate|leave) (?:the |this )?workflow\b/i;
/** "[X] Exit", "IF X: say goodbye and exit". */
const EXIT_LETTER =
  /^[\s*#-]*(?:\[[A-Z]\][*:\s]{0,4}(?:[Ee]xit|EXIT|[Qq]uit|[Ff]inish|[Ss]top)\b|(?:IF|If|When) [A-Z]\b[^.\n]{0,80}\b(?:exit|Exit|EXIT|end the session)\b)/;
const NEGATED = /\b(?:do not|don't|never|without)\b/i;

export function toEndEdges(steps: readonly Step[], edges: readonly EdgeDraft[]): EdgeDraft[] {
  return steps.flatMap((step) => {
    // A step that nothing follows is an end itself.
    if (!edges.some(({ from }) => from === step.id)) return [];
    const found = new Map<string, EdgeDraft>();
    step.body.split('\n').forEach((line, index) => {
      for (const { status, at } of endsOf(line.slice(0, 4_000))) {
        const sentence = clip(sentenceAt(line, at), 300);
        const evidence = { file: step.file, line: step.bodyLine + index + 1, text: clip(line.trim(), 300) };
        const to = status === undefined ? END_ID : `end-${status}`;
        const known = found.get(to);
        const ends = { from: step.id, to, label: status ?? 'exit' };
        const conditions = new Set([...(known?.conditionText?.split(' / ') ?? []), sentence]);
        found.set(to, {
          ...toEdge(ends, evidence, { conditionText: clip([...conditions].slice(0, 3).join(' / '), 600) }),
          evidence: [...(known?.evidence ?? []), evidence].slice(0, 6),
        });
      }
    });
    const ends = [...found.values()];
    if (goesOn(step, steps, edges)) return ends;
    if (ends.length === 0) return [toEndEdge(step.id, FINISHED, { file: step.file, text: NO_LATER })];
    return ends.map((edge, index) => ({ ...edge, isDefault: index === lastOf(ends) }));
  });
}

const FINISHED = 'The step is finished and nothing has to be repeated.';
const NO_LATER = 'The step names no later step.';

/** Whether an edge leads to a later step. */
export function goesOn({ id }: Step, steps: readonly Step[], edges: readonly EdgeDraft[]): boolean {
  const at = steps.findIndex((step) => step.id === id);
  const later = new Set(steps.slice(at + 1).map((step) => step.id));
  return edges.some(({ from, to }) => from === id && later.has(to));
}

/** The end that the text names last: the one after all work is done. */
function lastOf(ends: readonly EdgeDraft[]): number {
  const lines = ends.map(({ evidence }) => Math.max(...evidence.map(({ line = 0 }) => line)));
  return lines.indexOf(Math.max(...lines));
}

function endsOf(line: string): { status: string | undefined; at: number }[] {
  const halts = [...line.matchAll(WITH_STATUS)].map(({ index, 1: status }) => ({ status, at: index }));
  if (halts.length > 0) return halts;
  const exit = EXIT.exec(line) ?? EXIT_LETTER.exec(line);
  return exit && !NEGATED.test(line.slice(0, exit.index)) ? [{ status: undefined, at: exit.index }] : [];
}

/** The sentence around a place of a line, without its marks. */
function sentenceAt(line: string, at: number): string {
  const start = sentenceStart(line.slice(0, at));
  const end = line.slice(at).search(/[.!?](?:\s|$)/);
  return line
    .slice(start, end === -1 ? undefined : at + end + 1)
    .replace(/^[\s>#*-]*(?:\d+\.\s+)?/, '')
    .replaceAll('**', '')
    .trim();
}

/** The nodes that the edges lead to; `known`: nodes that exist. */
export function toEndNodes(
  edges: readonly EdgeDraft[],
  known: ReadonlySet<string>,
  folder: string,
): NodeDraft[] {
  const missing = [...new Set(edges.map(({ to }) => to))].filter(
    (id) => id.startsWith('end-') && !known.has(id),
  );
  return missing.map((id) => (id === END_ID ? toEndNode(id, folder) : toStatusNode(id, folder)));
}

function toStatusNode(id: string, folder: string): NodeDraft {
  const status = id.slice('end-'.length);
  const body = `\n# End with status ${status}\n\nThe workflow ends with the status \`${status}\`. Do what workflow.md says about the end of a run, then tell the person in one sentence how it ended and why.\n`;
  return { ...toPlainNode(id, `End: ${status}`, folder), type: 'end', body };
}
