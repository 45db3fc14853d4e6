/** Warns of variables that a person gives and nothing in the package uses. */
import type { UnusedNames } from '@crewagent/core';
import { printError, sanitize, styleError } from '../terminal.ts';
import { say } from './texts/say.ts';

const MAX_SHOWN = 400;

export function sayUnusedNames({ names, declared }: UnusedNames): void {
  const [given, known] = [names, declared].map((list) => sanitize(list.join(', '), MAX_SHOWN));
  const text = say('variables.unused', { count: names.length, names: given ?? '' });
  const rest = known ? say('variables.declared', { names: known }) : say('variables.none');
  printError(`${styleError('yellow', '!')} ${text}${rest}`);
}
