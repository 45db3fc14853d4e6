/** Hosts that processes in the sandbox may reach, as a person adds and removes them. */
import { CrewError } from '@crewagent/core';
import { hostSchema } from '@crewagent/protocol/sandbox';

export function addHosts(known: readonly string[], names: readonly string[]): string[] {
  return [...new Set([...known, ...names.map(parseHost)])];
}

export function removeHosts(known: readonly string[], names: readonly string[]): string[] {
  const removed = names.map((name) => name.trim().toLowerCase());
  const unknown = removed.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new CrewError('USAGE', `The host "${unknown}" is not on the list.`);
  return known.filter((host) => !removed.includes(host));
}

function parseHost(name: string): string {
  const { success, data, error } = hostSchema.safeParse(name);
  if (success) return data;
  throw new CrewError(
    'USAGE',
    `"${name}" cannot be allowed: ${error.issues[0]?.message ?? 'it is not a name'}.`,
  );
}
