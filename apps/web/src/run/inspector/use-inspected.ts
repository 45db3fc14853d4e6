/** The inspected run or thread of a conversation: the active one, until the user chooses another. */
import { useMemo, useState } from 'react';
import { useWorkSummary } from '../../api/work-context.tsx';
import type { ConversationPicture, ShownStory } from '../../state/conversation-store.ts';

/** Properties of the panels that show a run or a thread. */
export interface PanelProps {
  readonly projectId: string;
  readonly view: ShownStory;
}

export type Inspected = ReturnType<typeof useInspected>;

/**
 * `choices`: the runs in order, and the thread if it has messages. `runs`: all known runs, including those of sub-workflows.
 * `isEmpty`: nothing of the Work has arrived yet.
 */
export function useInspected(picture: ConversationPicture) {
  const [chosenId, choose] = useState<string>();
  // Keeps its identity while nothing changes.
  return useMemo(() => ({ ...toInspected(picture, chosenId), choose }), [picture, chosenId]);
}

function toInspected(
  { active, own, runs, state, isEmpty }: ConversationPicture,
  chosenId: string | undefined,
) {
  const began = state.runIds.flatMap((runId) => runs.get(runId) ?? []);
  const hasOwn = own.turns > 0 || own.calls.length > 0;
  const choices = [...(hasOwn ? [own] : []), ...began]
    .flatMap((view) => withCalled(view, runs))
    .filter(({ lastSeq }) => lastSeq > 0)
    .map((view) => ({ id: view.runId, view: view.runId === active.runId ? active : view }));
  // A run that was just left stays selected.
  const usual = active.workflow ? active : (choices.at(-1)?.view ?? active);
  const view = choices.find(({ id }) => id === chosenId)?.view ?? usual;
  return { view, choices, runs, isEmpty };
}

/** A run and the runs it called at any depth, each after its caller. */
function withCalled(view: ShownStory, runs: ConversationPicture['runs']): readonly ShownStory[] {
  const called = view.calls.flatMap(({ childId }) => runs.get(childId) ?? []);
  return [view, ...called.flatMap((child) => withCalled(child, runs))];
}

/** Whether there are runs to inspect, also while the thread is selected. */
export function useInspectedKind(
  id: string,
  { isEmpty, active }: ConversationPicture,
  { choices }: Inspected,
): 'run' | 'thread' {
  const begun = useWorkSummary(id)?.kind;
  const hasRun = [active, ...choices.map(({ view }) => view)].some(({ workflow }) => workflow);
  // The mode is known before the run's first event arrives.
  if (hasRun || begun === 'workflow') return 'run';
  return isEmpty && begun === undefined ? 'run' : 'thread';
}
