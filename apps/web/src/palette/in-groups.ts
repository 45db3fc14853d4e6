/** Brings commands of a group together, at the position of the first. Pure. */
import type { Command } from './commands.ts';

interface GroupOrder {
  readonly first?: string;
  readonly last?: string;
}

export function inGroups(commands: readonly Command[], { first, last }: GroupOrder = {}): readonly Command[] {
  const groups = new Map<string, Command[]>(first === undefined ? [] : [[first, []]]);
  for (const command of commands) {
    const group = groups.get(command.group);
    if (group) group.push(command);
    else groups.set(command.group, [command]);
  }
  const atEnd = last === undefined ? undefined : groups.get(last);
  if (last !== undefined) groups.delete(last);
  return [...groups.values(), atEnd ?? []].flat();
}
