/** An agent's name and icon from its package; its id while the package is not loaded. */
import { useAgent } from '../api/queries.ts';
import { toShownLine, toShownProse } from '../ui/sanitize-text.ts';

interface AgentNameProps {
  readonly packageHash: string | undefined;
  readonly agentId: string;
  readonly hasTitle?: boolean;
}

export function AgentName({ packageHash, agentId, hasTitle = false }: AgentNameProps) {
  const agent = useAgent(packageHash, agentId);
  if (!agent) return <span>{toShownLine(agentId)}</span>;
  const { name, title, icon } = agent;
  return (
    <span title={toShownLine(agentId)}>
      {icon ? <span aria-hidden="true">{toSign(icon)} </span> : undefined}
      {toShownLine(hasTitle && title !== name ? `${name}, ${title}` : name)}
    </span>
  );
}

/** The icon of an agent: an emoji or two letters, never cut in half. Pure. */
export function toSign(icon: string): string {
  const signs = new Intl.Segmenter().segment(toShownProse(icon).trim());
  return Array.from(signs, ({ segment }) => segment)
    .slice(0, 2)
    .join('');
}
