/** Sorts commands by how well they match the typed text. Pure. */
import { defaultFilter } from 'cmdk';
import type { Command } from './commands.ts';

/** Commands that contain the typed words come before files, and files before commands whose words only begin with the letters. */
export function splitByMatch(
  commands: readonly Command[],
  text: string,
): { readonly good: readonly Command[]; readonly loose: readonly Command[] } {
  const fitting = bestOf(commands, text);
  const isGood = (command: Command): boolean =>
    saidIn(command).some((said) => said.includes(text.toLowerCase()));
  return { good: fitting.filter(isGood), loose: fitting.filter((command) => !isGood(command)) };
}

/** Those found by their title come before those found by other words. */
export function bestOf(commands: readonly Command[], text: string): readonly Command[] {
  const wanted = text.toLowerCase();
  const isIn = (said: string): boolean => said.includes(wanted) || beginsWords(said, wanted);
  return commands
    .filter((command) => saidIn(command).some(isIn))
    .map((command) => ({
      command,
      isTitle: isIn(command.title.toLowerCase()),
      fit: defaultFilter(command.title, text, [command.synonyms ?? '']),
    }))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => Number(other.isTitle) - Number(one.isTitle) || other.fit - one.fit)
    .map(({ command }) => command);
}

function saidIn({ title, synonyms = '' }: Command): readonly string[] {
  return [title.toLowerCase(), synonyms.toLowerCase()];
}

/** The letters are beginnings of words, in their order: `prd` or `pro da` of "Project data". */
function beginsWords(said: string, wanted: string): boolean {
  const letters = wanted.replaceAll(/\s+/g, '');
  // How many of the letters can be matched by the words so far.
  const matched = new Set([0]);
  for (const word of said.split(/[^\p{L}\p{N}]+/u)) {
    for (const start of [...matched]) {
      for (let length = 1; length <= word.length; length++) {
        if (word[length - 1] !== letters[start + length - 1]) break;
        matched.add(start + length);
      }
    }
  }
  return matched.has(letters.length);
}
