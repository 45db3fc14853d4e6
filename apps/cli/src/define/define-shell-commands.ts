/**
 * Options and help of `crewagent shell` and its subcommands.
 */
import type { Command } from 'commander';
import { add, type Done, lazily, repeated, withExamples } from './help-text.ts';

const PROJECT = ['--project <folder>', 'the project', '.'] as const;
const HOSTS = { '<names...>': 'example.org, *.example.org, or example.org:8443' };

export function defineShellCommands(program: Command, done: Done): void {
  const load = () => import('../commands/shell.ts');
  const shell = add(
    program,
    'shell',
    'manage the commands that models may run in a project (shell.run); off by default',
  ).addHelpText(
    ...withExamples(
      'crewagent shell status',
      'crewagent shell enable --project ~/app',
      'crewagent shell allow npm test',
      'crewagent shell enable --network && crewagent shell allow-host api.example.org',
      'crewagent shell disable',
    ),
  );
  add(shell, 'status', 'show whether models may run commands, and in which sandbox')
    .option('--json', 'print it as JSON')
    .option(...PROJECT)
    .action(lazily(load, 'status', done));
  add(shell, 'enable', 'let models run commands in the project')
    .option('--network', 'with the network: package registries of the project, and the hosts you allow')
    .option('--git', 'let git record changes (commits, branches), never its configuration or hooks')
    .option(...repeated('--folder <folder>', 'a folder outside the project that commands may read'))
    .option(...PROJECT)
    .action(lazily(load, 'enable', done));
  add(shell, 'disable', 'let models run no commands in the project')
    .option(...PROJECT)
    .action(lazily(load, 'disable', done));
  add(shell, 'allow', 'allow commands that begin with these words without approval, in the sandbox', {
    '<words...>': 'the first words of the command',
  })
    .option(...PROJECT)
    .action(lazily(load, 'allow', done));
  add(shell, 'allow-host', 'let commands reach these hosts, if they have the network', HOSTS)
    .option(...PROJECT)
    .action(lazily(load, 'allowHost', done));
  add(shell, 'remove-host', 'let commands no longer reach these hosts', HOSTS)
    .option(...PROJECT)
    .action(lazily(load, 'removeHost', done));
  add(shell, 'revoke', 'revoke a rule', { '<words...>': 'the words of the rule' })
    .option(...PROJECT)
    .action(lazily(load, 'revoke', done));
}
