/**
 * The options that limit what a run or a conversation may use up, and the one that says which writes need a person's word.
 */
import type { RunLimits } from '@crewagent/protocol/settings';
import { type Command, Option } from 'commander';
import { parseAmount, parseCount } from './help-text.ts';

export interface LimitOptions {
  readonly maxTurns?: number;
  readonly maxTokens?: number;
  readonly maxCost?: number;
  readonly maxMinutes?: number;
}

/** `without`: an option beside which a limit would mean nothing. */
export function addLimitOptions(command: Command, without?: string): Command {
  const limit = (flags: string, words: string, parse: (text: string) => number): Option => {
    const option = new Option(flags, words).argParser(parse);
    return without === undefined ? option : option.conflicts(without);
  };
  return command
    .optionsGroup('Limits (they pause the run):')
    .addOption(limit('--max-turns <n>', 'turns without an answer of yours or a new step', parseCount))
    .addOption(limit('--max-tokens <n>', 'tokens in and out', parseCount))
    .addOption(limit('--max-cost <usd>', 'US dollars, where prices are known', parseAmount))
    .addOption(limit('--max-minutes <n>', 'minutes since it was started or resumed', parseAmount));
}

export function toLimits({ maxTurns, maxTokens, maxCost, maxMinutes }: LimitOptions): Partial<RunLimits> {
  return {
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxCost === undefined ? {} : { maxCostUsd: maxCost }),
    ...(maxMinutes === undefined ? {} : { maxMinutes }),
  };
}

export function approveOption(): Option {
  return new Option(
    '--approve <preset>',
    'which writes need your word: ask (outside artifacts), autopilot, read-only',
  ).choices(['ask', 'autopilot', 'read-only']);
}
