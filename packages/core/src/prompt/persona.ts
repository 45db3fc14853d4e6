/**
 * Agents in prompts: the model's persona, with the agent's own system prompt after it or in its place, and the roster of a package.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';
import { oneLine, quoteBlocks } from './quote-blocks.ts';

export function composePersona(agent: AgentDefinition): string {
  const own = agent.systemPrompt?.trim();
  const actions = agent.critical_actions ?? [];
  const always = actions.length > 0 ? [quoteBlocks(`Always:\n${toList(actions)}`)] : [];
  const isReplaced = own && agent.systemPromptMode === 'replace';
  return [...(isReplaced ? [] : [describe(agent)]), ...(own ? [quoteBlocks(own)] : []), ...always].join(
    '\n\n',
  );
}

function describe({ metadata, persona }: AgentDefinition): string {
  const { role, identity, communication_style, principles } = persona;
  const principleText = typeof principles === 'string' ? principles : `\n${toList(principles)}`;
  const lines = [
    `You are ${[...new Set([metadata.name, metadata.title])].join(', ')}. Role: ${role}`,
    `Identity: ${identity}`,
    `Style: ${communication_style}`,
    `Principles: ${principleText}`,
  ];
  return ['PERSONA', quoteBlocks(lines.join('\n'))].join('\n');
}

function toList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

export const MAX_ROSTER_BYTES = 4_096;

/** Lengths of the style that are tried until the roster fits; 0 leaves it out. */
const STYLE_LENGTHS = [400, 160, 60, 0] as const;

/**
 * The agents of a package for a step that needs several voices: name, title, icon and how each speaks. Sent with the step, never in
 * the constant part of a request, and within a byte budget.
 */
export function composeRoster(agents: readonly AgentDefinition[]): string {
  for (const length of STYLE_LENGTHS) {
    const block = toBlock(agents.map((agent) => toLine(agent, length)));
    if (Buffer.byteLength(block) <= MAX_ROSTER_BYTES) return block;
  }
  const lines = agents.map((agent) => toLine(agent, 0));
  const toCut = (count: number): string =>
    toBlock([...lines.slice(0, count), `- and ${lines.length - count} more, in @pkg/agents.json`]);
  let count = lines.length - 1;
  while (count > 0 && Buffer.byteLength(toCut(count)) > MAX_ROSTER_BYTES) count--;
  return toCut(count);
}

function toBlock(lines: readonly string[]): string {
  return [
    'ROSTER',
    'The agents of this package. Where the step asks for several voices, speak as each of them, under its name. You stay responsible for the step.',
    ...lines,
    'END_ROSTER',
  ].join('\n');
}

function toLine({ id, metadata: { name, title, icon }, persona }: AgentDefinition, length: number): string {
  const style = oneLine(persona.communication_style);
  const shown = style.length > length ? `${style.slice(0, Math.max(length - 1, 0))}…` : style;
  const who = `- ${oneLine(icon).slice(0, 8)} ${oneLine(name).slice(0, 80)}, ${oneLine(title).slice(0, 120)} (${oneLine(id).slice(0, 80)})`;
  return length === 0 || style === '' ? who : `${who}: ${shown}`;
}
