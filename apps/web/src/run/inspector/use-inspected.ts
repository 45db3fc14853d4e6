/** Which run or talk of a conversation is looked into: the one under way, until a person chooses another. */
import type { RunView } from '@crewagent/protocol/run-view';
import { useState } from 'react';
import { useWorkSummary } from '../../api/work-context.tsx';
import type { ConversationPicture } from '../../state/conversation-store.ts';
import { type Subject, subjectOf } from '../../state/subject.ts';

export interface Inspected {
  readonly subject: Subject;
  readonly view: Readonly<RunView>;
  /** All there are to choose from: the runs in their order, and the talk around them, if anything was said in it. */
  readonly choices: readonly { readonly id: string; readonly view: Readonly<RunView> }[];
  readonly choose: (id: string) => void;
  /** Every run that is known, those of sub-workflows included. */
  readonly runs: ReadonlyMap<string, Readonly<RunView>>;
}

export function useInspected(picture: ConversationPicture): Inspected {
  const { active, own, runs, state } = picture;
  const [chosenId, choose] = useState<string>();
  const began = state.runIds.flatMap((runId) => runs.get(runId) ?? []);
  const hasOwn = own.turns > 0 || own.calls.length > 0;
  const choices = [...(hasOwn ? [own] : []), ...began]
    .flatMap((view) => withCalled(view, runs))
    .filter(({ lastSeq }) => lastSeq > 0)
    .map((view) => ({ id: view.runId, view: view.runId === active.runId ? active : view }));
  // After a run was left it is still what one wants to look at.
  const usual = active.nodes.length > 0 ? active : (choices.at(-1)?.view ?? active);
  const view = choices.find(({ id }) => id === chosenId)?.view ?? usual;
  return { subject: subjectOf(view), view, choices, choose, runs };
}

/** A run, and the runs that it called at any depth, each behind its caller. */
function withCalled(
  view: Readonly<RunView>,
  runs: ConversationPicture['runs'],
): readonly Readonly<RunView>[] {
  const called = view.calls.flatMap(({ childId }) => runs.get(childId) ?? []);
  return [view, ...called.flatMap((child) => withCalled(child, runs))];
}

/** Whether there are runs to look into, also where one looks into the talk around them. */
export function useInspectedKind(
  id: string,
  { isEmpty, active }: ConversationPicture,
  { choices }: Inspected,
): Subject['kind'] {
  const begun = useWorkSummary(id)?.kind;
  const hasRun = [active, ...choices.map(({ view }) => view)].some(({ nodes }) => nodes.length > 0);
  // Its run is told of later than that it is a workflow.
  if (hasRun || begun === 'workflow') return 'run';
  return isEmpty && begun === undefined ? 'run' : 'talk';
}
