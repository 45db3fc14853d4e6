/**
 * Shared by command definitions: examples in help texts, and parsers for numeric and repeated options.
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { ExitCode } from '../exit-codes.ts';

/** Receives the exit code of the command that ran; a command that returns none has succeeded. */
// biome-ignore lint/suspicious/noConfusingVoidType: the result of a command that returns nothing
export type Done = (code: ExitCode | void) => void;

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

/** Arguments of `addHelpText`. */
export function withExamples(...lines: string[]): ['after', string] {
  return ['after', examples(...lines)];
}

/** Adds a command; `args` are its arguments with their descriptions. */
export function add(
  parent: Command,
  name: string,
  description: string,
  args: Readonly<Record<string, string>> = {},
): Command {
  const command = parent.command(name).description(description);
  for (const [argument, about] of Object.entries(args)) command.argument(argument, about);
  return command;
}

/** An action that loads its command when it is run. commander's last argument is the command itself. */
export function lazily<Commands, Name extends keyof Commands>(
  load: () => Promise<Commands>,
  name: Name,
  done: Done,
) {
  return async (...args: unknown[]): Promise<void> => {
    const command = (await load())[name] as (...given: unknown[]) => Promise<ExitCode>;
    done(await command(...args.slice(0, -1)));
  };
}

export function parseCount(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('Give a whole number above 0.');
}

export function parseAmount(text: string): number {
  const value = Number(text);
  if (/^[\d.]+$/.test(text) && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('Give a number above 0.');
}

/** Of a program that runs until it is stopped. */
export function parseLogFormat(text: string): 'text' | 'json' {
  if (text === 'text' || text === 'json') return text;
  throw new InvalidArgumentError('Give text or json.');
}

/** Arguments of `option` for one that can be repeated. */
export function repeated(flags: string, description: string) {
  const none: readonly string[] = [];
  return [flags, description, collect, none] as const;
}

/** Parser for a repeatable option. */
export function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

/** Parser for a repeatable `id=value` option. */
export function collectNamed(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Give it as id=value.');
  return new Map([...before, [text.slice(0, at), text.slice(at + 1)]]);
}

/** For commands that print a Work while it runs. */
export const PLAIN = ['--plain', 'print text as for a pipe: no colours, formatting or status line'] as const;
