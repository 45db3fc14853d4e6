/** A unified diff of untrusted text, in colours. */
import { print, sanitize, style } from '../terminal.ts';

export function printDiff(diff: string, indent = ''): void {
  for (const line of diff.trimEnd().split('\n')) print(`${indent}${style(toColour(line), sanitize(line))}`);
}

function toColour(line: string): 'green' | 'red' | 'dim' {
  return line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
}
