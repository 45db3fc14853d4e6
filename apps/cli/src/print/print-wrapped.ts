/** Prints lines, wrapped between words where standard output is a terminal. */
import { hostProcess } from '../host-process.ts';
import { print } from '../terminal.ts';
import { wrapLine } from './text/wrap.ts';

export function printWrapped(...lines: readonly string[]): void {
  const { isTTY, columns } = hostProcess().stdout;
  // A terminal without a size has 0 columns.
  for (const line of lines) for (const part of wrapLine(line, (isTTY && columns) || undefined)) print(part);
}
