/**
 * The model's persona: the agent's own system prompt if it has one, otherwise a description of its persona.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';
import { quoteBlocks } from './quote-blocks.ts';

export function composePersona(agent: AgentDefinition): string {
  const own = agent.systemPrompt?.trim();
  const actions = agent.critical_actions ?? [];
  const always = actions.length > 0 ? [quoteBlocks(`Always:\n${toList(actions)}`)] : [];
  return [own ? quoteBlocks(own) : describe(agent), ...always].join('\n\n');
}

function describe({ metadata, persona }: AgentDefinition): string {
  const { role, identity, communication_style, principles } = persona;
  const principleText = typeof principles === 'string' ? principles : `\n${toList(principles)}`;
  const lines = [
    `You are ${metadata.name}, ${metadata.title}. Role: ${role}`,
    `Identity: ${identity}`,
    `Style: ${communication_style}`,
    `Principles: ${principleText}`,
  ];
  return ['PERSONA', quoteBlocks(lines.join('\n'))].join('\n');
}

function toList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
