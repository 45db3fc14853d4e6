import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMAND_GROUPS } from './command-groups.ts';

describe('groups of commands', () => {
  it.each(COMMAND_GROUPS.map((group) => [group.names[0], group] as const))(
    'that of "%s" names every command that it defines: a command that is not named defines all of them',
    (_, { names, define }) => {
      const program = new Command();
      define(program, () => undefined);
      expect(program.commands.map((command) => command.name()).sort()).toEqual([...names].sort());
    },
  );
});
