/** Choosing from the agent's menu wherever one is: a number is meant for it only where it was put before one. */

import { type ConversationState, modeOf } from '@crewagent/protocol/conversation-state';
import type { RunView } from '@crewagent/protocol/run-view';
import type { WorkApi } from '../../api/work-api.ts';

interface Choice {
  readonly api: Pick<WorkApi, 'input'>;
  readonly workId: string;
  readonly picture: {
    readonly state: ConversationState;
    readonly active: Readonly<Pick<RunView, 'phase' | 'pending'>>;
  };
  readonly number: number;
}

export async function chooseFromMenu({ api, workId, picture, number }: Choice): Promise<void> {
  if (!isForMenu(picture)) await api.input(workId, '/menu');
  await api.input(workId, String(number));
}

/** A number that is typed now. What is said while something runs or is asked is for that. */
function isForMenu({ state, active: { pending, phase } }: Choice['picture']): boolean {
  const isBusy = phase === 'Running' || pending !== undefined;
  return state.choosing !== undefined || (modeOf(state) === 'agent' && !isBusy);
}
