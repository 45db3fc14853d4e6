/**
 * Options for resource limits of a run or conversation, and for its approval preset.
 */
import { type Command, Option } from 'commander';
import { parseAmount, parseCount } from './help-text.ts';

/** `without` is an option that limits cannot be combined with. */
export function addLimitOptions(command: Command, without?: string): Command {
  const limit = (flags: string, description: string, parse: (text: string) => number): Option => {
    const option = new Option(flags, description).argParser(parse);
    return without === undefined ? option : option.conflicts(without);
  };
  return command
    .optionsGroup('Limits (they pause the run):')
    .addOption(limit('--max-turns <n>', 'turns without an answer from you or a new step', parseCount))
    .addOption(limit('--max-tokens <n>', 'input and output tokens', parseCount))
    .addOption(limit('--max-cost <usd>', 'US dollars, if prices are known', parseAmount))
    .addOption(limit('--max-minutes <n>', 'minutes since the start or last resume', parseAmount));
}

export function approveOption(): Option {
  return new Option(
    '--approve <preset>',
    'which writes need approval: ask (outside artifacts; the default on a terminal), declared (any file that a step does not declare, also before it is read), autopilot (none; the default elsewhere), read-only (no writes)',
  ).choices(['ask', 'declared', 'autopilot', 'read-only']);
}
