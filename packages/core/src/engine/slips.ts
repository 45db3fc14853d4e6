/** Slips that small models make: calls with invalid names or arguments, and calls written as text. */
import type { EventOf, RunEvent } from '@crewagent/protocol/events';

/** Counts the slips of a run. */
export function foldSlips(slips: number, event: RunEvent): number {
  if (event.type === 'tool.ended') return slips + (isSlip(event) ? 1 : 0);
  if (event.type !== 'message.completed') return slips;
  return slips + (event.toolCalls?.some(({ isFromText }) => isFromText) ? 1 : 0);
}

const SLIP_CODES: ReadonlySet<string | undefined> = new Set([
  'TOOL_ARGS_INVALID',
  'TOOL_ARGS_INVALID_JSON',
  'TOOL_NOT_AVAILABLE',
]);

function isSlip({ code }: EventOf<'tool.ended'>): boolean {
  return SLIP_CODES.has(code);
}
