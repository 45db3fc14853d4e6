/** What an agent's menu offers, without opening the conversation with it. */
import type { MenuEntry, TargetSurface } from '@crewagent/protocol/commands';
import type { EnteredAgent } from '@crewagent/protocol/conversation';
import { toMenuEntries } from '../agents/menu.ts';
import { CrewError } from '../base/crew-error.ts';
import { loadAgentBinding, type ThreadOptions } from './open-thread.ts';

/** Nothing, where the package is gone. */
export async function readMenu(
  { agentId, package: { hash } }: EnteredAgent,
  surface: TargetSurface,
  options: Pick<ThreadOptions, 'store' | 'context'>,
): Promise<readonly MenuEntry[]> {
  try {
    const binding = await loadAgentBinding({ agentId, hash }, options);
    return toMenuEntries(binding?.agent.menu ?? [], surface);
  } catch (error) {
    if (error instanceof CrewError) return [];
    throw error;
  }
}
