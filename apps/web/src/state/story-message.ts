/** What the page is told of a Work as it goes on. */
import type { ShownWork } from '@crewagent/protocol/api/work-messages';
import type { ConversationState } from '@crewagent/protocol/conversation-state';
import type { RunEvent } from '@crewagent/protocol/events';
import type { RunView } from '@crewagent/protocol/run-view';

/** Of its own log and of those of its runs. */
export type StoryMessage =
  /** Takes the place of everything known so far. */
  | { readonly type: 'snapshot'; readonly data: ShownWork }
  /** Takes the place of what its own log told. */
  | { readonly type: 'own'; readonly data: { readonly state: ConversationState; readonly view: RunView } }
  /** Takes the place of what is known of one run. */
  | { readonly type: 'run'; readonly data: RunView }
  | { readonly type: 'event'; readonly data: RunEvent }
  /** All that was said so far of the reply that is under way, in the log of this id. */
  | {
      readonly type: 'streaming';
      readonly data: { readonly runId: string; readonly text: string; readonly reasoning: string };
    };
