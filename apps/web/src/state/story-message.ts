/** Messages that update the page's view of a Work. */
import type { ShownWork } from '@crewagent/protocol/api/work-messages';
import type { ConversationState } from '@crewagent/protocol/conversation-state';
import type { RunEvent } from '@crewagent/protocol/events';
import type { Story } from '@crewagent/protocol/story/story';

/** From the Work's own log and from the logs of its runs. */
export type StoryMessage =
  /** Replaces everything. */
  | { readonly type: 'snapshot'; readonly data: ShownWork }
  /** Replaces what is known from the Work's own log. */
  | { readonly type: 'own'; readonly data: { readonly state: ConversationState; readonly view: Story } }
  /** Replaces what is known of one run. */
  | { readonly type: 'run'; readonly data: Story }
  | { readonly type: 'event'; readonly data: RunEvent }
  /** The complete text so far of the reply that is streaming in the log with this id. */
  | {
      readonly type: 'streaming';
      readonly data: { readonly runId: string; readonly text: string; readonly reasoning: string };
    };
