/** `crewagent mcp`: manages the MCP servers whose tools models may call. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  approveServer,
  CrewError,
  importServers,
  logInToServer,
  logOutOfServer,
  openUrlOnDesktop,
  previewServers,
  putServer,
  removeServer,
  revokeServer,
  switchServer,
  testServer,
} from '@crewagent/core';
import {
  isStdio,
  type ListedServer,
  type McpServer,
  mcpServerSchema,
  type ServersPreview,
} from '@crewagent/protocol/mcp';
import type { SandboxState } from '@crewagent/protocol/sandbox';
import { addHosts, removeHosts } from '../allowed-hosts.ts';
import { confirm } from '../ask/prompter.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hostProcess } from '../host-process.ts';
import { openRuntime } from '../open-runtime.ts';
import { openStore } from '../open-store.ts';
import { plural } from '../print/print-diagnostics.ts';
import { say } from '../print/texts/say.ts';
import { withSignals } from '../signals.ts';
import { isInteractive, print, printDone, printError, sanitize, sanitizeLines, style } from '../terminal.ts';

interface ProjectOptions {
  readonly project: string;
}

interface AddOptions {
  readonly url?: string;
  readonly env: readonly string[];
  readonly inheritEnv: readonly string[];
  readonly header: readonly string[];
  readonly cwd?: string;
  readonly trust?: true;
  readonly sandbox?: true;
  readonly sandboxNetwork?: true;
  readonly sandboxHost: readonly string[];
  readonly sandboxFolder: readonly string[];
}

export async function add(id: string, command: readonly string[], options: AddOptions): Promise<void> {
  const { url, env, inheritEnv, header, cwd, trust } = options;
  const [program, ...args] = command;
  if ((url === undefined) === (program === undefined))
    throw new CrewError('USAGE', 'Give either --url, or a command after "--".');
  const sandbox = toSandbox(options);
  if (sandbox && url !== undefined)
    throw new CrewError('USAGE', 'A server over HTTP cannot run in the sandbox.');
  const definition = url === undefined ? { command: program, args, inheritEnv, cwd, sandbox } : { url };
  const server = mcpServerSchema.safeParse({ ...definition, trusted: trust === true });
  if (!server.success)
    throw new CrewError(
      'USAGE',
      `The server cannot be added: ${server.error.issues[0]?.message ?? 'its definition is not valid'}.`,
    );
  await putServer(openStore(), id, server.data, valuesOf(url === undefined ? env : header));
  printDone(`${sanitize(id)} is ${sanitize(describe(server.data))}`);
  print(style('dim', `  To test it: crewagent mcp test ${id}`));
}

function toSandbox({ sandbox, sandboxNetwork, sandboxHost, sandboxFolder }: AddOptions): object | undefined {
  const network = sandboxNetwork === true || sandboxHost.length > 0;
  if (!sandbox && !network && sandboxFolder.length === 0) return undefined;
  const folders = sandboxFolder.map((folder) => (folder.startsWith('~/') ? folder : resolve(folder)));
  return { network, hosts: addHosts([], sandboxHost), folders };
}

/** `NAME` or `NAME=VARIABLE`: values come from the environment, so that secrets do not get into the shell history. */
function valuesOf(names: readonly string[]): Record<string, string> {
  const { env } = hostProcess();
  return Object.fromEntries(
    names.map((text) => {
      const [name = '', variable = name] = text.split('=', 2);
      const value = env[variable];
      if (value === undefined || value === '')
        throw new CrewError(
          'USAGE',
          `The environment variable "${variable}" is not set. Set it to the value of ${name}.`,
        );
      return [name, value];
    }),
  );
}

export async function list({ project, json }: ProjectOptions & { json?: true }): Promise<void> {
  const runtime = openRuntime();
  const found = await runtime.store.projects.find(project);
  const listed = await runtime.listServers(found?.projectId);
  if (json) return print(JSON.stringify(listed));
  if (!listed.enabled)
    print(
      `${style('yellow', '!')} MCP is disabled. Enable it with: crewagent config set tools.mcp.enabled true`,
    );
  for (const server of listed.servers) {
    print(`${style('bold', sanitize(server.id))}  ${style('dim', stateOf(server))}`);
    print(`  ${sanitize(describe(server.server))}`);
    print(style('dim', `  ${sanitize(describeIsolation(server.server, listed.sandbox))}`));
    if (server.login?.isRequired) print(style('cyan', `  → Sign in with: crewagent mcp login ${server.id}`));
    if (!server.isApproved)
      print(
        style(
          'cyan',
          `  → It comes from the project. Review it, then run: crewagent mcp approve ${server.id}`,
        ),
      );
  }
  for (const issue of listed.issues) printError(`! ${sanitize(issue)}`);
  if (listed.servers.length === 0) print(style('dim', say('none.servers')));
}

function stateOf({ origin, server, isApproved, login }: ListedServer): string {
  const states = [
    ...(login?.isRequired ? ['needs login'] : login?.isSignedIn ? ['signed in'] : []),
    ...(origin === 'project' ? ['from the project'] : []),
    ...(isApproved ? [] : ['not approved']),
    ...(server.enabled ? [] : ['disabled']),
    ...(server.trusted ? ['trusted'] : []),
    ...(server.disabledTools.length > 0 ? [`${plural(server.disabledTools.length, 'tool')} disabled`] : []),
  ];
  return states.join(', ');
}

/** The parts of the machine that a server can reach. */
function describeIsolation(server: McpServer, { kind, isIsolating, reason = '' }: SandboxState): string {
  if (!isStdio(server)) return 'Over HTTP: not on this machine, or outside of any sandbox.';
  if (!server.sandbox) return 'No sandbox: it can do whatever you can do on this machine.';
  if (kind === 'none') return `Not started: it must run in a sandbox. ${reason}`;
  const { network: isOn, hosts } = server.sandbox;
  const reachable = ['package registries', ...hosts].join(', ');
  const network = isOn ? `network by name: ${reachable}` : 'no network';
  const doubt = isIsolating ? '' : ` ${reason}`;
  return `Sandbox (${kind}): it can read and write the project; ${network}.${doubt}`;
}

function describe(server: McpServer): string {
  if (!isStdio(server)) return server.url;
  const line = [server.command, ...server.args].map((part) =>
    /^[\w@%+=:,./-]+$/.test(part) ? part : JSON.stringify(part),
  );
  return [...line, ...(server.env.length > 0 ? [`(with ${server.env.join(', ')})`] : [])].join(' ');
}

export async function test(
  id: string,
  { project, json }: ProjectOptions & { json?: true },
): Promise<ExitCode> {
  const store = openStore();
  return withSignals(async ({ signal }) => {
    const found = await store.projects.find(project);
    const tested = await testServer(store, id, { project: found, signal });
    if (json) print(JSON.stringify(tested));
    else printTest(id, tested);
    return tested.ok ? EXIT.ok : EXIT.failed;
  });
}

function printTest(
  id: string,
  { ok, ms, error = '', stderr = '', needsLogin, tools }: Awaited<ReturnType<typeof testServer>>,
): void {
  if (ok)
    print(`${style('green', '✓')} ${sanitize(id)} answered in ${ms} ms with ${plural(tools.length, 'tool')}`);
  else print(`${style('red', '✗')} ${sanitize(id)}: ${sanitize(error)}`);
  for (const { name, description } of tools)
    print(`  ${style('bold', sanitize(name))}  ${sanitize(description.split('\n', 1)[0] ?? '')}`);
  if (needsLogin) print(style('cyan', `  → Sign in with: crewagent mcp login ${sanitize(id)}`));
  if (!ok) for (const line of sanitizeLines(stderr)) print(style('dim', `  ${line}`));
}

interface LoginOptions extends ProjectOptions {
  /** False with `--no-browser`. */
  readonly browser: boolean;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly port?: number;
}

export async function login(id: string, options: LoginOptions): Promise<ExitCode> {
  const { browser, clientId, clientSecret, port } = options;
  if (clientSecret !== undefined && clientId === undefined)
    throw new CrewError('USAGE', 'A client secret needs --client-id.');
  const store = openStore();
  return withSignals(async ({ signal }) => {
    const { secret } = clientSecret === undefined ? {} : valuesOf([`secret=${clientSecret}`]);
    const started = await logInToServer(store, id, {
      project: await store.projects.find(options.project),
      client: clientId === undefined ? undefined : { id: clientId, secret },
      port,
      signal,
    });
    // The address comes from the server: it is shown before it is opened.
    print(`Sign in to ${sanitize(id)} at ${style('bold', sanitize(new URL(started.url).host))}:`);
    print(`  ${sanitize(started.url)}`);
    if (!browser || !openUrlOnDesktop(started.url))
      print(style('dim', '  Open this address in a browser on this machine.'));
    await started.done;
    printDone(`Signed in to ${sanitize(id)}`);
    return EXIT.ok;
  });
}

export async function logout(id: string, { project }: ProjectOptions): Promise<void> {
  const store = openStore();
  const isDone = await logOutOfServer(store, id, await store.projects.find(project));
  if (isDone) printDone(`Signed out of ${sanitize(id)}`);
  else print(`You are not signed in to ${sanitize(id)}`);
}

export async function remove(id: string): Promise<void> {
  await removeServer(openStore(), id);
  printDone(`${sanitize(id)} and its stored secrets were removed`);
}

export async function toggle(id: string, enabled: boolean): Promise<void> {
  await switchServer(openStore(), id, { enabled });
  printDone(`${sanitize(id)} is ${enabled ? 'enabled' : 'disabled'}`);
}

/** A host that is allowed is meant to be reached, so the network is on from then on. */
export async function changeHosts(id: string, names: readonly string[], isAllowed: boolean): Promise<void> {
  const store = openStore();
  const { servers } = (await store.settings.load()).mcp;
  const server = Object.hasOwn(servers, id) ? servers[id] : undefined;
  if (!server || !isStdio(server) || !server.sandbox)
    throw new CrewError('USAGE', `The settings have no MCP server "${id}" that runs in the sandbox.`);
  const { sandbox } = server;
  const hosts = isAllowed ? addHosts(sandbox.hosts, names) : removeHosts(sandbox.hosts, names);
  await switchServer(store, id, { sandbox: { ...sandbox, hosts, network: isAllowed || sandbox.network } });
  const reachable = ['package registries', ...hosts].join(', ');
  printDone(`${sanitize(id)} may reach: ${sanitize(reachable)}`);
}

interface ImportFileOptions {
  readonly all?: true;
  readonly json?: true;
}

/** Adds the named servers. Without names it only shows what the file would start, and on a terminal asks about each. */
export async function importFile(
  file: string,
  names: readonly string[],
  { all, json }: ImportFileOptions,
): Promise<ExitCode> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CrewError('USAGE', `"${file}" cannot be read.`, { cause: error });
  });
  const store = openStore();
  const { servers, issues: unusable } = await previewServers(store, text);
  const fresh = servers.filter(({ isKnown }) => !isKnown).map(({ id }) => id);
  if (!json) for (const entry of servers) printEntry(entry);
  const isAsking = !all && names.length === 0 && !json && isInteractive();
  const chosen = all ? fresh : isAsking ? await askWhich(fresh) : names;
  const { added, issues } = await importServers(store, text, chosen);
  if (json) {
    print(JSON.stringify({ servers, added, issues }));
    return EXIT.ok;
  }
  for (const id of added) printDone(`${sanitize(id)} was added`);
  for (const issue of issues) printError(`! ${sanitize(issue)}`);
  if (chosen.length === 0 && fresh.length > 0)
    print(`Nothing was added. Add servers with: crewagent mcp import ${sanitize(file)} NAME… (or --all)`);
  return added.length > 0 || unusable.length === issues.length ? EXIT.ok : EXIT.usage;
}

/** Everything that would be started, with the names of the values it gets. */
function printEntry({ id, server, isKnown }: ServersPreview['servers'][number]): void {
  print(`${style('bold', sanitize(id))}${isKnown ? ' (a server with this name exists)' : ''}`);
  print(`  ${sanitize(describe(server))}`);
  if (isStdio(server) && server.cwd !== undefined) print(`  in ${sanitize(server.cwd)}`);
  if (!isStdio(server) && server.headers.length > 0) print(`  with ${sanitize(server.headers.join(', '))}`);
}

async function askWhich(ids: readonly string[]): Promise<string[]> {
  const chosen: string[] = [];
  for (const id of ids) if (await confirm(`Add ${sanitize(id)}? [y/N] `)) chosen.push(id);
  return chosen;
}

export async function approve(id: string, { project }: ProjectOptions): Promise<void> {
  const runtime = openRuntime();
  const { projectId } = await runtime.store.projects.open(project, { now: () => new Date() });
  const { servers } = await runtime.listServers(projectId);
  const found = servers.find((server) => server.origin === 'project' && server.id === id);
  if (!found)
    throw new CrewError('MCP_SERVER_NOT_FOUND', `The project has no MCP server "${id}" in its .mcp.json.`);
  await approveServer(runtime.store, projectId, { id, hash: found.hash });
  printDone(`${sanitize(id)} may be started in this project: ${sanitize(describe(found.server))}`);
}

export async function revoke(id: string, { project }: ProjectOptions): Promise<void> {
  const store = openStore();
  const { projectId } = await store.projects.open(project, { now: () => new Date() });
  await revokeServer(store, projectId, id);
  printDone(`${sanitize(id)} is no longer approved in this project`);
}
