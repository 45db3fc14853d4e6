/** The menu of the current agent. Loading it sends no message; the conversation works without it. */
import type { MenuEntry } from '@crewagent/protocol/commands';
import type { EnteredAgent } from '@crewagent/protocol/conversation';
import { useEffect, useState } from 'react';
import type { AgentBindingApi } from '../../api/work-api.ts';

interface MenuSource {
  readonly binding: AgentBindingApi | undefined;
  readonly workId: string;
  readonly agent: EnteredAgent | undefined;
}

/** Undefined while loading, and without an agent. */
export function useMenu({ binding, workId, agent }: MenuSource): readonly MenuEntry[] | undefined {
  const whose = agent && `${workId} ${agent.package.hash} ${agent.agentId}`;
  const [found, setFound] = useState<{ readonly whose: string; readonly entries: readonly MenuEntry[] }>();
  useEffect(() => {
    if (!binding || whose === undefined) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const keep = (entries: readonly MenuEntry[]): void => {
      if (!signal.aborted) setFound({ whose, entries });
    };
    binding
      .menu(workId, signal)
      .then(keep)
      .catch(() => keep([]));
    return () => controller.abort();
  }, [binding, workId, whose]);
  return found?.whose === whose ? found?.entries : undefined;
}
