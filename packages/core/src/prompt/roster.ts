/**
 * The agents of a package for a step that needs several voices: name, title, icon and how each speaks. Sent with the step, never
 * in the constant part of a request, and within a byte budget. Pure.
 */
import type { AgentDefinition } from '@crewagent/protocol/agents';

export const MAX_ROSTER_BYTES = 4_096;

/** Lengths of the style that are tried until the roster fits; 0 leaves it out. */
const STYLE_LENGTHS = [400, 160, 60, 0] as const;

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

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
