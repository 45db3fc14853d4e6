/**
 * Options and help of `crewagent mcp` and its subcommands.
 */
import type { Command } from 'commander';
import { add, type Done, lazily, parseCount, repeated, withExamples } from './help-text.ts';

const load = () => import('../commands/mcp.ts');
const PROJECT = ['--project <folder>', 'the project; its .mcp.json is included', '.'] as const;
const SERVER = { '<name>': 'name of the server' };
const OWN_SERVER = { '<name>': 'name of a server in the settings' };

export function defineMcpCommands(program: Command, done: Done): void {
  const mcp = add(program, 'mcp', 'manage MCP servers, whose tools a model may call').addHelpText(
    ...withExamples(
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
  add(mcp, 'serve', 'offer workflows to another agent, over standard input and output')
    .option('--project <folder>', 'the project (default: the one that the agent names, or this folder)')
    .action(lazily(() => import('../commands/mcp-serve.ts'), 'serve', done));
  add(mcp, 'list', 'show the servers')
    .option('--json', 'print them as JSON')
    .option(...PROJECT)
    .action(lazily(load, 'list', done));
  add(mcp, 'test', 'start a server, list its tools, and stop it', SERVER)
    .option('--json', 'print the result as JSON')
    .option(...PROJECT)
    .action(lazily(load, 'test', done));
  defineLogins(mcp, done);
  add(mcp, 'import', 'show the servers of an mcp.json of Claude, Cursor or VS Code, and add those you name', {
    '<file>': 'the file',
    '[names...]': 'names of the servers to add; without names, nothing is added unasked',
  })
    .option('--all', 'add all of them')
    .option('--json', 'print them as JSON')
    .action(lazily(load, 'importFile', done));
  for (const name of ['enable', 'disable'] as const)
    add(mcp, name, `${name} a server`, OWN_SERVER).action(async (id: string) =>
      done(await (await load()).toggle(id, name === 'enable')),
    );
  for (const [name, may] of [
    ['allow-host', ''],
    ['remove-host', 'no longer '],
  ] as const)
    add(mcp, name, `let a server in the sandbox ${may}reach these hosts`, {
      ...OWN_SERVER,
      '<hosts...>': 'example.org, *.example.org, or example.org:8443',
    }).action(async (id: string, hosts: string[]) =>
      done(await (await load()).changeHosts(id, hosts, name === 'allow-host')),
    );
  add(mcp, 'remove', 'remove a server and its stored secrets', OWN_SERVER).action(
    lazily(load, 'remove', done),
  );
  add(mcp, 'approve', "approve a server of the project's .mcp.json in its current form", SERVER)
    .option(...PROJECT)
    .action(lazily(load, 'approve', done));
  add(mcp, 'revoke', "revoke the approval of a server of the project's .mcp.json", SERVER)
    .option(...PROJECT)
    .action(lazily(load, 'revoke', done));
}

function defineAdd(mcp: Command, done: Done): void {
  add(mcp, 'add', 'add a server, or replace the one with this name', {
    '<name>': 'a name of your choice',
    '[command...]': 'the program and its arguments, after "--"',
  })
    .option('--url <url>', 'the address of a server over HTTP')
    .option(
      ...repeated(
        '--env <name>',
        'an environment variable for the server; its current value is stored as a secret',
      ),
    )
    .option(
      ...repeated(
        '--inherit-env <name>',
        'an environment variable passed to the server from the environment of each run',
      ),
    )
    .option(
      ...repeated(
        '--header <name=variable>',
        'an HTTP header; its value is read from this environment variable and stored as a secret',
      ),
    )
    .option('--cwd <folder>', 'its working directory, relative to the project')
    .option('--sandbox', 'run it in the sandbox of the operating system, without network')
    .option('--sandbox-network', 'the sandbox has the network: package registries, and the hosts you allow')
    .option(...repeated('--sandbox-host <name>', 'a host that it may reach: example.org, *.example.org'))
    .option(...repeated('--sandbox-folder <folder>', 'a folder that may be read in the sandbox'))
    .option('--trust', 'trust its tool annotations: tools marked read-only run without approval')
    .action(lazily(load, 'add', done));
}

function defineLogins(mcp: Command, done: Done): void {
  add(mcp, 'login', 'sign in to a server over HTTP, in the browser', SERVER)
    .option('--no-browser', 'only print the address')
    .option('--client-id <id>', 'a client registered by you, if the server registers none')
    .option('--client-secret <variable>', 'the environment variable that holds its secret')
    .option('--port <number>', 'the port of the redirect to this machine (default: random)', parseCount)
    .option(...PROJECT)
    .action(lazily(load, 'login', done));
  add(mcp, 'logout', 'delete the tokens for a server', SERVER)
    .option(...PROJECT)
    .action(lazily(load, 'logout', done));
}
