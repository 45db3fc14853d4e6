/**
 * Options and help of `crewagent shell` and its subcommands.
 */
import type { Command } from 'commander';
import type { EnableOptions, ProjectOptions } from '../commands/shell.ts';
import { collect, type Done, examples } from './help-text.ts';

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
  ).action(async (options: ProjectOptions & { json?: true }) => done(await (await load()).status(options)));
  withProject(
    shell
      .command('enable')
      .description('let models run commands in the project')
      .option('--network', 'with the network: package registries of the project, and the hosts you allow')
      .option('--git', 'let git record changes (commits, branches), never its configuration or hooks')
      .option('--folder <folder>', 'a folder outside the project that commands may read', collect, []),
  ).action(async (options: EnableOptions) => done(await (await load()).enable(options)));
  withProject(shell.command('disable').description('let models run no commands in the project')).action(
    async (options: ProjectOptions) => done(await (await load()).disable(options)),
  );
  withProject(
    shell
      .command('allow')
      .description('allow commands that begin with these words without approval, in the sandbox')
      .argument('<words...>', 'the first words of the command'),
  ).action(async (words: string[], options: ProjectOptions) =>
    done(await (await load()).allow(words, options)),
  );
  const hosts = '<names...>';
  const hostHelp = 'example.org, *.example.org, or example.org:8443';
  withProject(
    shell
      .command('allow-host')
      .description('let commands reach these hosts, if they have the network')
      .argument(hosts, hostHelp),
  ).action(async (names: string[], options: ProjectOptions) =>
    done(await (await load()).allowHost(names, options)),
  );
  withProject(
    shell
      .command('remove-host')
      .description('let commands no longer reach these hosts')
      .argument(hosts, hostHelp),
  ).action(async (names: string[], options: ProjectOptions) =>
    done(await (await load()).removeHost(names, options)),
  );
  withProject(
    shell.command('revoke').description('revoke a rule').argument('<words...>', 'the words of the rule'),
  ).action(async (words: string[], options: ProjectOptions) =>
    done(await (await load()).revoke(words, options)),
  );
}
