/** Choosing from the agent's menu wherever one is: a number is meant for it only where it was put before one. */

import { type ConversationState, modeOf } from '@crewagent/protocol/conversation-state';
import type { RunView } from '@crewagent/protocol/run-view';
import type { ConversationApi } from '../../api/conversation-api.ts';

interface Choice {
  readonly api: Pick<ConversationApi, 'input'>;
  readonly conversationId: string;
  readonly picture: {
    readonly state: ConversationState;
    readonly active: Readonly<Pick<RunView, 'phase' | 'pending'>>;
  };
  readonly number: number;
}

export async function chooseFromMenu({ api, conversationId, picture, number }: Choice): Promise<void> {
  if (!isForMenu(picture)) await api.input(conversationId, '/menu');
  await api.input(conversationId, String(number));
}

/** A number that is typed now. What is said while something runs or is asked is for that. */
function isForMenu({ state, active: { pending, phase } }: Choice['picture']): boolean {
  const isBusy = phase === 'Running' || pending !== undefined;
  return state.choosing !== undefined || (modeOf(state) === 'agent' && !isBusy);
}
