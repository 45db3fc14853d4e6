/** Sorts commands by how well they match the typed text. Pure. */
import { defaultFilter } from 'cmdk';
import type { Command } from './commands.ts';

/** Commands that contain the typed words come before files, and files before commands that only contain the letters in order. */
export function splitByMatch(
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
