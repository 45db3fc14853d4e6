/** Commands that fit what was typed, the best fit first. Pure. */
import { defaultFilter } from 'cmdk';
import type { Command } from './commands.ts';

export function bestOf(commands: readonly Command[], text: string): readonly Command[] {
  return commands
    .map((command) => ({ command, fit: defaultFilter(command.title, text, [command.id]) }))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit)
    .map(({ command }) => command);
}
