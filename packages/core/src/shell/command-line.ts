/**
 * The command of a `shell.run` call: its arguments, the line a person is shown, and the rules that allow it. Pure.
 */
import { toPlainWords } from '@crewagent/protocol/shell';
import * as z from '@crewagent/protocol/zod';

const MAX_COMMAND_CHARS = 32_768;

export const shellArgumentsSchema = z.strictObject({
  command: z.string().check(
    z.minLength(1),
    z.maxLength(MAX_COMMAND_CHARS),
    z.refine((text) => !text.includes('\0'), 'contains a NUL character'),
    z.describe('A line for the shell, or the program if args is given.'),
  ),
  args: z
    .optional(
      z
        .array(
          z.string().check(
            z.maxLength(MAX_COMMAND_CHARS),
            z.refine((text) => !text.includes('\0'), 'contains a NUL character'),
          ),
        )
        .check(z.maxLength(1_000)),
    )
    .check(z.describe('Arguments of the program; no shell is used.')),
  cwd: z.optional(z.string()).check(z.describe('A folder of the project; default @project.')),
  timeoutSeconds: z.optional(z.int().check(z.minimum(1), z.maximum(3_600))).check(z.describe('Default 120.')),
  /** Of earlier versions; without effect. */
  changesProtected: z.optional(z.boolean()),
});
export type ShellArguments = z.infer<typeof shellArgumentsSchema>;

/** The program and its arguments; a line goes to the shell of the system. */
export function toProgram({ command, args }: Pick<ShellArguments, 'command' | 'args'>): {
  readonly command: string;
  readonly args: readonly string[];
} {
  if (args) return { command, args };
  return process.platform === 'win32'
    ? { command: 'cmd.exe', args: ['/d', '/s', '/c', command] }
    : { command: '/bin/sh', args: ['-c', command] };
}

/**
 * The command as one line for people and for consent. Arguments are quoted for the shell, so that a line and a program with
 * arguments have the same text only if they do the same.
 */
export function toCommandLine({ command, args }: ShellArguments, folder: string): string {
  const line = args ? [command, ...args].map(quote).join(' ') : command;
  return folder === '' ? line : `cd ${quote(folder)} && ${line}`;
}

function quote(word: string): string {
  return toPlainWords(word)?.length === 1 ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Whether the command begins with the words of a rule. A line with anything that a shell interprets never does. */
export function isAllowedBy(prefixes: readonly string[], { command, args }: ShellArguments): boolean {
  const words = args ? [command, ...args] : toPlainWords(command);
  if (!words) return false;
  return prefixes.some((prefix) => {
    const wanted = prefix.split(' ');
    return wanted.length <= words.length && wanted.every((word, index) => words[index] === word);
  });
}
