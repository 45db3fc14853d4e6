/**
 * The texts that were joined to a user message, each with what it says as data, so that nothing is read back from the text.
 * Never sent and never recorded: the history derives them from events.
 */
import type { AnchorBlocks, PromptSubject } from '@crewagent/protocol/event-messages';
import type { Picture } from '@crewagent/protocol/pictures';

export type UserPart =
  | AnchorPart
  | ThreadPart
  | OutlinePart
  /** `words`: the text without its header. */
  | ({ readonly kind: 'input'; readonly text: string; readonly words: string } & WithPictures)
  | ({
      readonly kind: 'directive';
      readonly text: string;
      readonly subject: PromptSubject | undefined;
    } & WithPictures)
  /** `note`: a note of the runtime. `nodes`: the nodes that the run has left. `other`: a text of unknown origin. */
  | { readonly kind: 'note' | 'nodes' | 'other'; readonly text: string };

interface WithPictures {
  readonly pictures?: readonly Picture[] | undefined;
}

/** `blocks`: undefined after the last node. */
export interface AnchorPart {
  readonly kind: 'anchor';
  readonly text: string;
  readonly blocks: AnchorBlocks | undefined;
}

/** Summary of earlier messages of a thread. */
export interface ThreadPart {
  readonly kind: 'thread';
  readonly text: string;
  readonly lines: readonly ThreadLine[];
  /** Lines before these were omitted. */
  readonly isShortened: boolean;
}

export interface ThreadLine {
  readonly text: string;
  /** The last line of each of these topics is never omitted. */
  readonly topic?: 'script' | 'full text';
}

/** What remains of earlier messages of a node. */
export interface OutlinePart {
  readonly kind: 'outline';
  readonly text: string;
  readonly lines: readonly OutlineLine[];
  /** The file with the full text; undefined if there is none. */
  readonly path: string | undefined;
}

export interface OutlineLine {
  readonly text: string;
  readonly said?: { readonly by: string; readonly words: string };
  /** Path of a file that the model wrote. */
  readonly wrote?: string;
}
