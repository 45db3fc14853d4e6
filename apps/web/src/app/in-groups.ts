/** Commands of one group stand together, where the first of them stood. Pure. */
import type { Command } from './commands.ts';

/** `leading`: the group that comes first, if there is one to. */
export function inGroups(commands: readonly Command[], leading?: string): readonly Command[] {
  const groups = new Map<string, Command[]>(leading === undefined ? [] : [[leading, []]]);
  for (const command of commands) {
    const group = groups.get(command.group);
    if (group) group.push(command);
    else groups.set(command.group, [command]);
  }
  return [...groups.values()].flat();
}
