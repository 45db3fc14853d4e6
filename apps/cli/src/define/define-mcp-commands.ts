/**
 * Options and help of `crewagent mcp` and its subcommands.
 */
import type { Command } from 'commander';
import { collect, type Done, examples, lazily, parseCount } from './help-text.ts';

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
  ).action(lazily(load, 'list', done));
  withProject(
    mcp
      .command('test')
      .description('start a server, list its tools, and stop it')
      .argument('<name>', 'name of the server')
      .option('--json', 'print the result as JSON'),
  ).action(lazily(load, 'test', done));
  defineLogins(mcp, done);
  mcp
    .command('import')
    .description('show the servers of an mcp.json of Claude, Cursor or VS Code, and add those you name')
    .argument('<file>', 'the file')
    .argument('[names...]', 'names of the servers to add; without names, nothing is added unasked')
    .option('--all', 'add all of them')
    .option('--json', 'print them as JSON')
    .action(lazily(load, 'importFile', done));
  for (const name of ['enable', 'disable'] as const)
    mcp
      .command(name)
      .description(`${name} a server`)
      .argument('<name>', 'name of a server in the settings')
      .action(async (id: string) => done(await (await load()).toggle(id, name === 'enable')));
  for (const name of ['allow-host', 'remove-host'] as const)
    mcp
      .command(name)
      .description(
        name === 'allow-host'
          ? 'let a server in the sandbox reach these hosts'
          : 'let a server in the sandbox no longer reach these hosts',
      )
      .argument('<name>', 'name of a server in the settings')
      .argument('<hosts...>', 'example.org, *.example.org, or example.org:8443')
      .action(async (id: string, hosts: string[]) =>
        done(await (await load()).changeHosts(id, hosts, name === 'allow-host')),
      );
  mcp
    .command('remove')
    .description('remove a server and its stored secrets')
    .argument('<name>', 'name of a server in the settings')
    .action(lazily(load, 'remove', done));
  withProject(
    mcp
      .command('approve')
      .description("approve a server of the project's .mcp.json in its current form")
      .argument('<name>', 'name of the server'),
  ).action(lazily(load, 'approve', done));
  withProject(
    mcp
      .command('revoke')
      .description("revoke the approval of a server of the project's .mcp.json")
      .argument('<name>', 'name of the server'),
  ).action(lazily(load, 'revoke', done));
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
    .option('--sandbox-network', 'the sandbox has the network: package registries, and the hosts you allow')
    .option('--sandbox-host <name>', 'a host that it may reach: example.org, *.example.org', collect, [])
    .option('--sandbox-folder <folder>', 'a folder that may be read in the sandbox', collect, [])
    .option('--trust', 'trust its tool annotations: tools marked read-only run without approval')
    .action(lazily(load, 'add', done));
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
  ).action(lazily(load, 'login', done));
  withProject(
    mcp
      .command('logout')
      .description('delete the tokens for a server')
      .argument('<name>', 'name of the server'),
  ).action(lazily(load, 'logout', done));
}
