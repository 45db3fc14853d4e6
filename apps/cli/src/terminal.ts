/**
 * Words on a terminal: colours only where they are wanted, text of strangers only as plain text.
 */
import { styleText } from 'node:util';
import { toPlainText } from '@crewagent/protocol/plain-text';

type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim';

export function style(name: Style, text: string): string {
  return wantsColour() ? styleText(name, text) : text;
}

export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function printError(line = ''): void {
  process.stderr.write(`${line}\n`);
}

/** Text that came from a package or a file name. */
export function foreign(text: string): string {
  return toPlainText(text);
}

function wantsColour(): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0';
  return process.stdout.isTTY === true && TERM !== 'dumb';
}
