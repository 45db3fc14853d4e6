/**
 * `crewagent mcp` and its commands: their options and help.
 */
import type { Command } from 'commander';
import type { AddOptions, ProjectOptions } from './commands/mcp.ts';
import { collect, type Done, examples } from './help-text.ts';

export function defineMcpCommands(program: Command, done: Done): void {
  const load = () => import('./commands/mcp.ts');
  const mcp = program
    .command('mcp')
    .description('MCP servers, whose tools a model may call')
    .addHelpText(
      'after',
      examples(
        'crewagent mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
        'crewagent mcp add github --env GITHUB_TOKEN -- github-mcp-server stdio',
        'crewagent mcp add tickets --url https://tickets.example/mcp --header Authorization=TICKETS_AUTH',
        'crewagent mcp import ~/.cursor/mcp.json',
        'crewagent mcp test files',
      ),
    );
  const withProject = (command: Command): Command =>
    command.option('--project <folder>', 'the project; its .mcp.json counts, too', '.');
  mcp
    .command('add')
    .description('add a server, or replace the one of that name')
    .argument('<name>', 'what you want to call it')
    .argument('[command...]', 'the program and its arguments, after "--"')
    .option('--url <url>', 'the address of a server over HTTP')
    .option(
      '--env <name>',
      'a variable for the server; its value is taken from here and stored as a secret',
      collect,
      [],
    )
    .option(
      '--inherit-env <name>',
      'a variable that the server reads from the environment of each run',
      collect,
      [],
    )
    .option(
      '--header <name=variable>',
      'a header; its value is taken from that variable and stored as a secret',
      collect,
      [],
    )
    .option('--cwd <folder>', 'its working directory, relative to the project')
    .option('--trust', 'believe what it says about its tools: read-only ones run without approval')
    .action(async (id: string, command: string[], options: AddOptions) =>
      done(await (await load()).add(id, command, options)),
    );
  withProject(
    mcp.command('list').description('show the servers').option('--json', 'print them as JSON'),
  ).action(async (options: ProjectOptions & { json?: true }) => done(await (await load()).list(options)));
  withProject(
    mcp
      .command('test')
      .description('start a server, list its tools, and stop it')
      .argument('<name>', 'of a server')
      .option('--json', 'print the result as JSON'),
  ).action(async (id: string, options: ProjectOptions & { json?: true }) =>
    done(await (await load()).test(id, options)),
  );
  mcp
    .command('import')
    .description('add the servers of an mcp.json of Claude, Cursor or VS Code')
    .argument('<file>', 'the file')
    .action(async (file: string) => done(await (await load()).importFile(file)));
  for (const name of ['enable', 'disable'] as const)
    mcp
      .command(name)
      .description(`switch a server ${name === 'enable' ? 'on' : 'off'}`)
      .argument('<name>', 'of a server in the settings')
      .action(async (id: string) => done(await (await load()).toggle(id, name === 'enable')));
  mcp
    .command('remove')
    .description('remove a server, and its stored values')
    .argument('<name>', 'of a server in the settings')
    .action(async (id: string) => done(await (await load()).remove(id)));
  withProject(
    mcp
      .command('approve')
      .description("allow a server of the project's .mcp.json as it is now")
      .argument('<name>', 'of the server'),
  ).action(async (id: string, options: ProjectOptions) => done(await (await load()).approve(id, options)));
  withProject(
    mcp
      .command('revoke')
      .description("no longer start a server of the project's .mcp.json")
      .argument('<name>', 'of the server'),
  ).action(async (id: string, options: ProjectOptions) => done(await (await load()).revoke(id, options)));
}
