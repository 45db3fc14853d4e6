/** Choosing from the agent's menu wherever one is: a number is meant for it only where it was put before one. */

import { modeOf } from '@crewagent/protocol/conversation-state';
import type { ConversationApi } from '../api/conversation-api.ts';
import type { ConversationPicture } from '../state/conversation-store.ts';

interface Choice {
  readonly api: Pick<ConversationApi, 'input'>;
  readonly conversationId: string;
  readonly picture: Pick<ConversationPicture, 'state' | 'active'>;
  readonly number: number;
}

export async function chooseFromMenu({ api, conversationId, picture, number }: Choice): Promise<void> {
  if (!isForMenu(picture)) await api.input(conversationId, '/menu');
  await api.input(conversationId, String(number));
}

/** A number that is typed now. */
function isForMenu({ state, active }: Choice['picture']): boolean {
  return state.choosing !== undefined || (modeOf(state) === 'agent' && active.pending === undefined);
}
