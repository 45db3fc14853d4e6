/**
 * What the definitions of commands share: examples below their help, and options that are numbers or lists.
 */
import { InvalidArgumentError } from 'commander';
import type { ExitCode } from './exit-codes.ts';

/** Told the exit code of the command that ran. */
export type Done = (code: ExitCode) => void;

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
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

/** For an option that may be given several times. */
export function collect(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

/** `id=value`, as often as there are questions. */
export function collectNamed(text: string, before: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Give it as id=value.');
  return new Map([...before, [text.slice(0, at), text.slice(at + 1)]]);
}
