/**
 * Terminal output: colours only where supported, untrusted text only as plain text.
 */
import { styleText } from 'node:util';
import { toPlainText } from '@crewagent/protocol/plain-text';
import { hostProcess } from './host-process.ts';

export type Style =
  | 'red'
  | 'green'
  | 'yellow'
  | 'cyan'
  | 'magenta'
  | 'bold'
  | 'dim'
  | 'italic'
  | 'underline'
  | 'strikethrough';
export type Styler = (name: Style, text: string) => string;

/** Colours for standard output. */
export function style(name: Style, text: string): string {
  return wantsColour(hostProcess().stdout) ? coloured(name, text) : text;
}

/** Colours for standard error. */
export function styleError(name: Style, text: string): string {
  return wantsColour(hostProcess().stderr) ? coloured(name, text) : text;
}

export function print(line = ''): void {
  hostProcess().stdout.write(`${line}\n`);
}

/** What a command did. */
export function printDone(text: string): void {
  printOutcome(true, text);
}

/** What a command did or did not achieve. */
export function printOutcome(isGood: boolean, text: string): void {
  print(`${isGood ? style('green', '✔') : style('red', '✖')} ${text}`);
}

export function printError(line = ''): void {
  hostProcess().stderr.write(`${line}\n`);
}

/** Whether a person can be asked: standard input and output are a terminal. */
export function isInteractive(): boolean {
  const { stdin, stdout } = hostProcess();
  return stdin.isTTY === true && stdout.isTTY === true;
}

const MAX_SHOWN = 1_000;

/** For untrusted text, such as text from a package or a file name. */
export function sanitize(text: string, maxShown = MAX_SHOWN): string {
  return toPlainText(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
}

/** For untrusted text with several lines; keeps tabs and makes carriage returns visible. */
export function sanitizeLines(text: string): string[] {
  return text.split('\n').map((line) => line.replaceAll('\r', '␍').split('\t').map(toPlainText).join('\t'));
}

/** `validateStream: false`, because Node would check standard output for both streams, and treat `CI` as no colours. */
function coloured(name: Style, text: string): string {
  return styleText(name, text, { validateStream: false });
}

function wantsColour(stream: { isTTY?: boolean }): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = hostProcess().env;
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0';
  return stream.isTTY === true && TERM !== 'dumb';
}
