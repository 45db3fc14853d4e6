/**
 * What a channel makes of the events of a log, and what it tells a reader that comes new: of a run its view, of a
 * conversation the view of its talk and whom one talks to.
 */
import type { ConversationSnapshot } from '@crewagent/protocol/api/conversation-messages';
import type { RunSnapshot } from '@crewagent/protocol/api/run-messages';
import {
  addToConversationView,
  type ConversationView,
  createConversationView,
} from '@crewagent/protocol/conversation-view';
import type { RunEvent } from '@crewagent/protocol/events';
import { addToRunView, createRunView, type RunView } from '@crewagent/protocol/run-view';

export interface Folding<View> {
  readonly view: View;
  /** What is known of the log itself. */
  readonly log: Pick<RunView, 'lastSeq' | 'streaming'>;
  add(event: RunEvent): void;
  toSnapshot(): unknown;
}

export function createRunFolding(runId: string): Folding<RunView> {
  const view = createRunView(runId);
  return {
    view,
    log: view,
    add: (event) => addToRunView(view, event),
    toSnapshot: (): RunSnapshot => ({ view, seq: view.lastSeq }),
  };
}

/** The runs of the conversation have channels of their own. */
export function createTalkFolding(conversationId: string): Folding<ConversationView> {
  const view = createConversationView(conversationId);
  const { talk } = view;
  return {
    view,
    log: talk,
    add: (event) => addToConversationView(view, event),
    toSnapshot: (): ConversationSnapshot => ({ view: talk, state: view.state, seq: talk.lastSeq }),
  };
}
