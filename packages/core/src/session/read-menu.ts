/** What an agent's menu offers, without opening the conversation with it. */
import type { MenuEntry, TargetSurface } from '@crewagent/protocol/commands';
import type { EnteredAgent } from '@crewagent/protocol/conversation';
import { toMenuEntries } from '../agents/menu.ts';
import { CrewError } from '../base/crew-error.ts';
import { loadPartner, type TalkOptions } from './open-talk.ts';

/** Nothing, where the package is gone. */
export async function readMenu(
  { agentId, package: { hash } }: EnteredAgent,
  surface: TargetSurface,
  options: Pick<TalkOptions, 'store' | 'context'>,
): Promise<readonly MenuEntry[]> {
  try {
    const partner = await loadPartner({ agentId, hash }, options);
    return toMenuEntries(partner?.agent.menu ?? [], surface);
  } catch (error) {
    if (error instanceof CrewError) return [];
    throw error;
  }
}
