/** Commands that fit what was typed, the best fit first. Pure. */
import { defaultFilter } from 'cmdk';
import type { Command } from './commands.ts';

/** What contains the words that were typed goes before files, and files before what only has their letters in order. */
export function splitByFit(
  commands: readonly Command[],
  text: string,
): { readonly good: readonly Command[]; readonly loose: readonly Command[] } {
  const fitting = bestOf(commands, text);
  const wanted = text.toLowerCase();
  const isGood = ({ title }: Command): boolean => title.toLowerCase().includes(wanted);
  return { good: fitting.filter(isGood), loose: fitting.filter((command) => !isGood(command)) };
}

export function bestOf(commands: readonly Command[], text: string): readonly Command[] {
  return commands
    .map((command) => ({ command, fit: defaultFilter(command.title, text, [command.id]) }))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit)
    .map(({ command }) => command);
}
