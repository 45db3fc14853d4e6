/**
 * Words on a terminal: colours only where they are wanted, text of strangers only as plain text.
 */
import { styleText } from 'node:util';
import { toPlainText } from '@crewagent/protocol/plain-text';

export type Style = 'red' | 'green' | 'yellow' | 'cyan' | 'bold' | 'dim';

/** Colours for standard output. */
export function style(name: Style, text: string): string {
  return wantsColour(process.stdout) ? styleText(name, text) : text;
}

/** Colours for standard error. */
export function styleError(name: Style, text: string): string {
  return wantsColour(process.stderr) ? styleText(name, text) : text;
}

export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

export function printError(line = ''): void {
  process.stderr.write(`${line}\n`);
}

const MAX_SHOWN = 1_000;

/** Text that came from a package or a file name. */
export function foreign(text: string): string {
  return toPlainText(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

function wantsColour(stream: { isTTY?: boolean }): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0';
  return stream.isTTY === true && TERM !== 'dumb';
}
