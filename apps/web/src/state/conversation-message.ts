/** What the page is told of a conversation as it goes on. */
import type { ShownConversation } from '@crewagent/protocol/api/conversation-messages';
import type { ConversationState } from '@crewagent/protocol/conversation-state';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunView } from '@crewagent/protocol/run-view';

/** Of the conversation's own log and of those of its runs. */
export type ConversationMessage =
  /** Takes the place of everything known so far. */
  | { readonly type: 'snapshot'; readonly data: ShownConversation }
  /** Takes the place of what was said outside of runs. */
  | { readonly type: 'talk'; readonly data: { readonly state: ConversationState; readonly view: RunView } }
  /** Takes the place of what is known of one run. */
  | { readonly type: 'run'; readonly data: RunView }
  | { readonly type: 'event'; readonly data: RunEvent }
  /** All that was said so far of the reply that is under way, in the run or talk of this id. */
  | {
      readonly type: 'streaming';
      readonly data: { readonly runId: string; readonly text: string; readonly reasoning: string };
    };
