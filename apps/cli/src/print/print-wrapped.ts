/** Prints lines, wrapped between words where their stream is a terminal. */
import { hostProcess, type OutputStream } from '../host-process.ts';
import { print, printError } from '../terminal.ts';
import { wrapLine } from './text/wrap.ts';

export function printWrapped(...lines: readonly string[]): void {
  for (const line of lines) for (const part of wrapLine(line, widthOf(hostProcess().stdout))) print(part);
}

/** An error, with its further lines below the text after its name. */
export function printErrorWrapped(line: string, indent: string): void {
  for (const part of wrapLine(line, widthOf(hostProcess().stderr), indent)) printError(part);
}

/** A terminal without a size has 0 columns. */
export function widthOf({ isTTY, columns }: OutputStream): number | undefined {
  return (isTTY && columns) || undefined;
}
