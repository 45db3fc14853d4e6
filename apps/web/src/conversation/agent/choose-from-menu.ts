/** Sends a choice from the agent's menu: opens the menu first, unless a number is already understood as a choice. */

import { type ConversationState, modeOf } from '@crewagent/protocol/conversation-state';
import type { WorkApi } from '../../api/work-api.ts';
import type { ShownStory } from '../../state/conversation-store.ts';

interface Choice {
  readonly api: Pick<WorkApi, 'input'>;
  readonly workId: string;
  readonly picture: {
    readonly state: ConversationState;
    readonly active: Pick<ShownStory, 'status' | 'pending'>;
  };
  readonly number: number;
}

export async function chooseFromMenu({ api, workId, picture, number }: Choice): Promise<void> {
  if (!isForMenu(picture)) await api.input(workId, '/menu');
  await api.input(workId, String(number));
}

/** Whether a number typed now is for the menu. While something runs or a question is open, it is not. */
function isForMenu({ state, active: { pending, status } }: Choice['picture']): boolean {
  const isBusy = status.kind === 'running' || pending !== undefined;
  return state.choosing !== undefined || (modeOf(state) === 'agent' && !isBusy);
}
