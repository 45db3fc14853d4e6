/** The agent of the conversation from here on. */
import type { ItemOf } from '@crewagent/protocol/story/items';
import { UserRound } from 'lucide-react';
import { toShownLine } from '../../../ui/sanitize-text.ts';
import { toSign } from '../../agent-name.tsx';

export function AgentCard({ item: { agent } }: { readonly item: ItemOf<'agent'> }) {
  return (
    <div className="my-3 flex items-center gap-3 rounded-lg border bg-surface px-3.5 py-3">
      <span
        aria-hidden="true"
        className="flex size-9 shrink-0 items-center justify-center rounded-full bg-accent-soft text-lg"
      >
        {agent.icon ? toSign(agent.icon) : <UserRound className="size-4 text-accent-text" />}
      </span>
      <div className="min-w-0">
        <p className="font-semibold wrap-anywhere">{toShownLine(agent.name)}</p>
        <p className="text-ink-faint wrap-anywhere">
          {toShownLine(agent.title)} · {toShownLine(`${agent.package.name}@${agent.package.version}`)}
        </p>
      </div>
    </div>
  );
}
