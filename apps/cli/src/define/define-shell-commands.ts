/**
 * Options and help of `crewagent shell` and its subcommands.
 */
import type { Command } from 'commander';
import { collect, type Done, examples, lazily } from './help-text.ts';

export function defineShellCommands(program: Command, done: Done): void {
  const load = () => import('../commands/shell.ts');
  const shell = program
    .command('shell')
    .description('manage the commands that models may run in a project (shell.run); off by default')
    .addHelpText(
      'after',
      examples(
        'crewagent shell status',
        'crewagent shell enable --project ~/app',
        'crewagent shell allow npm test',
        'crewagent shell enable --network && crewagent shell allow-host api.example.org',
        'crewagent shell disable',
      ),
    );
  const withProject = (command: Command): Command => command.option('--project <folder>', 'the project', '.');
  withProject(
    shell
      .command('status')
      .description('show whether models may run commands, and in which sandbox')
      .option('--json', 'print it as JSON'),
  ).action(lazily(load, 'status', done));
  withProject(
    shell
      .command('enable')
      .description('let models run commands in the project')
      .option('--network', 'with the network: package registries of the project, and the hosts you allow')
      .option('--git', 'let git record changes (commits, branches), never its configuration or hooks')
      .option('--folder <folder>', 'a folder outside the project that commands may read', collect, []),
  ).action(lazily(load, 'enable', done));
  withProject(shell.command('disable').description('let models run no commands in the project')).action(
    lazily(load, 'disable', done),
  );
  withProject(
    shell
      .command('allow')
      .description('allow commands that begin with these words without approval, in the sandbox')
      .argument('<words...>', 'the first words of the command'),
  ).action(lazily(load, 'allow', done));
  const hosts = '<names...>';
  const hostHelp = 'example.org, *.example.org, or example.org:8443';
  withProject(
    shell
      .command('allow-host')
      .description('let commands reach these hosts, if they have the network')
      .argument(hosts, hostHelp),
  ).action(lazily(load, 'allowHost', done));
  withProject(
    shell
      .command('remove-host')
      .description('let commands no longer reach these hosts')
      .argument(hosts, hostHelp),
  ).action(lazily(load, 'removeHost', done));
  withProject(
    shell.command('revoke').description('revoke a rule').argument('<words...>', 'the words of the rule'),
  ).action(lazily(load, 'revoke', done));
}
