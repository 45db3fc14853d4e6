/**
 * Options and help of `crewagent mcp` and its subcommands.
 */
import type { Command } from 'commander';
import type { AddOptions, ImportFileOptions, LoginOptions, ProjectOptions } from '../commands/mcp.ts';
import { collect, type Done, examples, parseCount } from './help-text.ts';

const load = () => import('../commands/mcp.ts');

export function defineMcpCommands(program: Command, done: Done): void {
  const mcp = program
    .command('mcp')
    .description('manage MCP servers, whose tools a model may call')
    .addHelpText(
      'after',
      examples(
        'crewagent mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
        'crewagent mcp add github --env GITHUB_TOKEN -- github-mcp-server stdio',
        'crewagent mcp add tickets --url https://tickets.example/mcp --header Authorization=TICKETS_AUTH',
        'crewagent mcp import ~/.cursor/mcp.json',
        'crewagent mcp import ~/.cursor/mcp.json files github',
        'crewagent mcp test files',
        'crewagent mcp login tickets',
      ),
    );
  defineAdd(mcp, done);
  withProject(
    mcp.command('list').description('show the servers').option('--json', 'print them as JSON'),
  ).action(async (options: ProjectOptions & { json?: true }) => done(await (await load()).list(options)));
  withProject(
    mcp
      .command('test')
      .description('start a server, list its tools, and stop it')
      .argument('<name>', 'name of the server')
      .option('--json', 'print the result as JSON'),
  ).action(async (id: string, options: ProjectOptions & { json?: true }) =>
    done(await (await load()).test(id, options)),
  );
  defineLogins(mcp, done);
  mcp
    .command('import')
    .description('show the servers of an mcp.json of Claude, Cursor or VS Code, and add those you name')
    .argument('<file>', 'the file')
    .argument('[names...]', 'names of the servers to add; without names, nothing is added unasked')
    .option('--all', 'add all of them')
    .option('--json', 'print them as JSON')
    .action(async (file: string, names: string[], options: ImportFileOptions) =>
      done(await (await load()).importFile(file, names, options)),
    );
  for (const name of ['enable', 'disable'] as const)
    mcp
      .command(name)
      .description(`${name} a server`)
      .argument('<name>', 'name of a server in the settings')
      .action(async (id: string) => done(await (await load()).toggle(id, name === 'enable')));
  mcp
    .command('remove')
    .description('remove a server and its stored secrets')
    .argument('<name>', 'name of a server in the settings')
    .action(async (id: string) => done(await (await load()).remove(id)));
  withProject(
    mcp
      .command('approve')
      .description("approve a server of the project's .mcp.json in its current form")
      .argument('<name>', 'name of the server'),
  ).action(async (id: string, options: ProjectOptions) => done(await (await load()).approve(id, options)));
  withProject(
    mcp
      .command('revoke')
      .description("revoke the approval of a server of the project's .mcp.json")
      .argument('<name>', 'name of the server'),
  ).action(async (id: string, options: ProjectOptions) => done(await (await load()).revoke(id, options)));
}

function withProject(command: Command): Command {
  return command.option('--project <folder>', 'the project; its .mcp.json is included', '.');
}

function defineAdd(mcp: Command, done: Done): void {
  mcp
    .command('add')
    .description('add a server, or replace the one with this name')
    .argument('<name>', 'a name of your choice')
    .argument('[command...]', 'the program and its arguments, after "--"')
    .option('--url <url>', 'the address of a server over HTTP')
    .option(
      '--env <name>',
      'an environment variable for the server; its current value is stored as a secret',
      collect,
      [],
    )
    .option(
      '--inherit-env <name>',
      'an environment variable passed to the server from the environment of each run',
      collect,
      [],
    )
    .option(
      '--header <name=variable>',
      'an HTTP header; its value is read from this environment variable and stored as a secret',
      collect,
      [],
    )
    .option('--cwd <folder>', 'its working directory, relative to the project')
    .option('--sandbox', 'run it in the sandbox of the operating system, without network')
    .option('--sandbox-network', 'the sandbox has the network, including services on this machine')
    .option('--sandbox-folder <folder>', 'a folder that may be read in the sandbox', collect, [])
    .option('--trust', 'trust its tool annotations: tools marked read-only run without approval')
    .action(async (id: string, command: string[], options: AddOptions) =>
      done(await (await load()).add(id, command, options)),
    );
}

function defineLogins(mcp: Command, done: Done): void {
  withProject(
    mcp
      .command('login')
      .description('sign in to a server over HTTP, in the browser')
      .argument('<name>', 'name of the server')
      .option('--no-browser', 'only print the address')
      .option('--client-id <id>', 'a client registered by you, if the server registers none')
      .option('--client-secret <variable>', 'the environment variable that holds its secret')
      .option('--port <number>', 'the port of the redirect to this machine (default: random)', parseCount),
  ).action(async (id: string, options: LoginOptions) => done(await (await load()).login(id, options)));
  withProject(
    mcp
      .command('logout')
      .description('delete the tokens for a server')
      .argument('<name>', 'name of the server'),
  ).action(async (id: string, options: ProjectOptions) => done(await (await load()).logout(id, options)));
}
