/**
 * Reads an agent's menu without opening the conversation.
 */
import type { MenuEntry, TargetSurface } from '@crewagent/protocol/commands';
import type { EnteredAgent } from '@crewagent/protocol/conversation';
import { toMenuEntries } from '../../agents/menu.ts';
import { CrewError } from '../../base/crew-error.ts';
import { loadAgentBinding, type ThreadOptions } from './open-thread.ts';

/** Empty if the package cannot be loaded. */
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
