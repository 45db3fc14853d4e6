/** The events of an open conversation and of its runs: folded into one view, then passed to the listeners. */
import type { ConversationRecord } from '@crewagent/protocol/conversation';
import type { RunEvent } from '@crewagent/protocol/events';
import { addToWorkStory, createWorkStory } from '@crewagent/protocol/story/work-story';
import { settleInterrupted } from '../../store/interrupted-works.ts';
import { runBeside, toAddress } from '../../store/work-address.ts';
import type { ThreadOptions } from './open-thread.ts';

export type ConversationEvents = Awaited<ReturnType<typeof openConversationEvents>>;

/** Reads the logs of the conversation and of its runs. */
export async function openConversationEvents(
  record: ConversationRecord,
  { store: { works }, now, onBug }: Pick<ThreadOptions, 'store' | 'now' | 'onBug'>,
) {
  const listeners = new Set<(event: RunEvent) => void>();
  const view = createWorkStory(record.workId);

  /** Adds an event to the view. */
  const notify = (event: RunEvent): void => {
    addToWorkStory(view, event);
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        // A failing listener must not stop the conversation.
        onBug('listener', error);
      }
    }
  };
  /** Adds events of a run that the view does not have yet: of other processes, or from before the run was entered. */
  const catchUp = async (runId: string): Promise<void> => {
    await works.readLog(runBeside(record, runId), (event) => {
      if (event.seq > (view.runs.get(runId)?.lastSeq ?? 0)) notify(event);
    });
    for (const { childId } of view.runs.get(runId)?.calls ?? []) await catchUp(childId);
  };

  await works.readLog(toAddress(record), (event) => addToWorkStory(view, event));
  for (const runId of view.state.runIds) {
    if (runId === view.state.activeRunId) await settleInterrupted(works, runBeside(record, runId), { now });
    await catchUp(runId);
  }
  return {
    view,
    notify,
    subscribe(listener: (event: RunEvent) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    catchUp,
  };
}
