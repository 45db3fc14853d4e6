/**
 * The model's persona: the agent's own system prompt if it has one, otherwise a description of its persona.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';

export function composePersona(agent: AgentDefinition): string {
  const own = agent.systemPrompt?.trim();
  const actions = agent.critical_actions ?? [];
  return [own || describe(agent), ...(actions.length > 0 ? [`Always:\n${toList(actions)}`] : [])].join(
    '\n\n',
  );
}

function describe({ metadata, persona }: AgentDefinition): string {
  const { role, identity, communication_style, principles } = persona;
  const principleText = typeof principles === 'string' ? principles : `\n${toList(principles)}`;
  return [
    'PERSONA',
    `You are ${metadata.name}, ${metadata.title}. Role: ${role}`,
    `Identity: ${identity}`,
    `Style: ${communication_style}`,
    `Principles: ${principleText}`,
  ].join('\n');
}

function toList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
