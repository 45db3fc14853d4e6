/** A run or a thread as the page shows it: the folded view with its kind and status, derived once per update. */

import { type Status, toStatus } from '@crewagent/protocol/status';
import type { Story } from '@crewagent/protocol/story/story';

export interface ShownStory extends Readonly<Story> {
  /** False for a thread, which has no workflow. */
  readonly isRun: boolean;
  readonly status: Status;
}

export function toShownStory(view: Readonly<Story>): ShownStory {
  return { ...view, isRun: view.workflow !== undefined, status: toStatus(view) };
}
