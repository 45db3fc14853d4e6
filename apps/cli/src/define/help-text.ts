/**
 * Shared by command definitions: examples in help texts, and parsers for numeric and repeated options.
 */
import { InvalidArgumentError } from 'commander';
import type { ExitCode } from '../exit-codes.ts';

/** Receives the exit code of the command that ran; a command that returns none has succeeded. */
// biome-ignore lint/suspicious/noConfusingVoidType: the result of a command that returns nothing
export type Done = (code: ExitCode | void) => void;

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

/** An action that loads its command when it is run. */
export function lazily<Commands, Name extends keyof Commands>(
  load: () => Promise<Commands>,
  name: Name,
  done: Done,
) {
  return async (...args: unknown[]): Promise<void> => {
    const command = (await load())[name] as (...given: unknown[]) => Promise<ExitCode>;
    done(await command(...args));
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
