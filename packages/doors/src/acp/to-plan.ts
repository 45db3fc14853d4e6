/** The plan of an editor: the nodes of the active run, and below a node that calls a workflow those of the called run. Pure. */
import type { PlanEntry } from '@agentclientprotocol/sdk';
import { MAX_CALL_DEPTH } from '@crewagent/protocol/call-depth';
import { toPlainText } from '@crewagent/protocol/plain-text';
import { toStatus } from '@crewagent/protocol/status';
import type { Story } from '@crewagent/protocol/story/story';
import { activeStory, openCallOf, type WorkStory } from '@crewagent/protocol/story/work-story';

const MAX_ENTRIES = 300;

/** Empty without a run. */
export function toPlan(view: WorkStory): PlanEntry[] {
  return entriesOf(activeStory(view), view, 0).slice(0, MAX_ENTRIES);
}

function entriesOf(run: Story, view: WorkStory, depth: number): PlanEntry[] {
  const { nodes, state } = run;
  const { isCompleted } = toStatus(run);
  const call = openCallOf(run);
  const called = call && depth < MAX_CALL_DEPTH ? view.runs.get(call.childId) : undefined;
  return nodes.flatMap(({ id, title }): PlanEntry[] => {
    const isCurrent = id === state.currentNodeId;
    const isDone = state.stepsCompleted.includes(id) && (!isCurrent || isCompleted);
    // A branch that was not taken is no longer planned.
    if (isCompleted && !isDone && !isCurrent) return [];
    const status = isDone || (isCurrent && isCompleted) ? 'completed' : isCurrent ? 'in_progress' : 'pending';
    const content = `${'› '.repeat(depth)}${toPlainText(title || id).slice(0, 200)}`;
    const below = called && call?.nodeId === id && isCurrent ? entriesOf(called, view, depth + 1) : [];
    return [{ content, priority: 'medium', status }, ...below];
  });
}
